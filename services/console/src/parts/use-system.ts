import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";

const refreshMs = 5_000;

/** How the gateway's parts stand, looked at again and again. */
export function useSystem() {
  return useQuery({ queryKey: ["system"], queryFn: () => get("/system"), refetchInterval: refreshMs });
}
