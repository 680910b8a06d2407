import { useQueryClient } from "@tanstack/react-query";
import { post } from "../api/client.ts";
import type { PlaygroundAccount } from "../api/types.ts";
import type { GatewayAccess } from "./gateway-request.ts";

/** Time in ms for which a key is used. It expires a minute later. */
const usedForMs = 14 * 60_000;

/** Returns a function that gets the person's short-lived key. Only the memory of the page contains the key. */
export function usePlaygroundKey({ account, team }: PlaygroundAccount, group: string | null): GatewayAccess["key"] {
  const queries = useQueryClient();
  return (isRefused) =>
    queries.fetchQuery({
      queryKey: ["playground-key", account, team, group],
      queryFn: async () => (await post("/playground/key", { body: { account, team, group } })).key,
      staleTime: isRefused ? 0 : usedForMs,
      gcTime: usedForMs,
    });
}
