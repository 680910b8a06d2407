import { useQueryClient } from "@tanstack/react-query";
import { post } from "../api/client.ts";
import type { PlaygroundAccount } from "../api/types.ts";
import type { GatewayAccess } from "./gateway-request.ts";

/** Time in ms for which a key is used. The key expires one minute later, so a call can still begin at the end. */
const usedForMs = 14 * 60_000;

/**
 * Returns the function that returns the signed-in person's short-lived key. The key is requested with the first call
 * and again before it expires, and is only in the memory of the page.
 */
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
