import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { allPages } from "./all-pages.ts";

/** Reads all accounts that the person may see, if `refreshMs` is given also periodically. */
export function useAccounts(refreshMs: number | false = false) {
  return useQuery({
    queryKey: ["accounts"],
    queryFn: () => allPages((after) => get("/accounts", { query: { after } })),
    refetchInterval: refreshMs,
  });
}
