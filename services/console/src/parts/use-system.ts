import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";

const refreshMs = 5_000;

/** Reads the state of the system periodically. */
export function useSystem() {
  return useQuery({ queryKey: ["system"], queryFn: () => get("/system"), refetchInterval: refreshMs });
}
