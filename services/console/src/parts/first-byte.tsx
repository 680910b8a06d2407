import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { formatDurations } from "../format/numbers.ts";
import { periodOf, type Span } from "../format/times.ts";

const refreshMs = 60_000;

/** Median and 95th percentile of an account's times to first byte. */
export function FirstByteOfAccount({ span, account }: { readonly span: Span; readonly account: string }) {
  const { from, to } = periodOf(span);
  const { data } = useQuery({
    queryKey: ["first bytes", from, to, "account", account],
    queryFn: ({ signal }) => get("/usage/first-bytes", { query: { from, to, account } }, signal),
    refetchInterval: refreshMs,
  });
  const group = data?.[0];
  return group === undefined ? "–" : formatDurations(group.p50, group.p95);
}
