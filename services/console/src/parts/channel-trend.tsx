import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Total } from "../api/types.ts";
import { formatDuration, formatShare } from "../format/numbers.ts";
import { translate } from "../texts/translate.ts";
import { Sparkline } from "./sparkline.tsx";

const refreshMs = 60_000;
const hours = 24;
const hourMs = 3_600_000;

/** Reads the latencies and calls of all channels in the last 24 hours. */
export function useChannelTrends() {
  const to = Math.ceil(Date.now() / hourMs) * hourMs;
  const period = { from: new Date(to - hours * hourMs).toISOString(), to: new Date(to - 1).toISOString() };
  const times = useQuery({
    queryKey: ["first bytes", period.from, "channel"],
    queryFn: () => get("/usage/first-bytes", { query: { ...period, by: "channel,hour" } }),
    refetchInterval: refreshMs,
  });
  const totals = useQuery({
    queryKey: ["totals", period.from, "channel,outcome,hour"],
    queryFn: () => get("/usage", { query: { ...period, by: "channel,outcome,hour", sums: "calls" } }),
    refetchInterval: refreshMs,
  });
  const names = Array.from({ length: hours }, (_, at) => new Date(to - (hours - at) * hourMs).toISOString());
  return (channel: string): Trend => {
    const channelTotals = totals.data?.filter(({ by }) => by["channel"] === channel) ?? [];
    const timed = times.data?.filter(({ by }) => by["channel"] === channel) ?? [];
    return {
      latency: names.map((hour) => timed.find(({ by }) => by["hour"] === hour)?.p50 ?? 0),
      failed: names.map((hour) =>
        callsOf(channelTotals.filter(({ by }) => by["hour"] === hour && by["outcome"] === "failed")),
      ),
      calls: callsOf(channelTotals),
    };
  };
}

interface Trend {
  /** Median time to first byte, in ms. */
  readonly latency: readonly number[];
  readonly failed: readonly number[];
  readonly calls: number;
}

function callsOf(totals: readonly Total[]): number {
  return totals.reduce((sum, { sums }) => sum + Number(sums["calls"] ?? 0), 0);
}

/** Latency and errors of a channel over the last 24 hours. */
export function ChannelTrend({ trend: { latency, failed, calls } }: { readonly trend: Trend }) {
  const last = latency.findLast((ms) => ms > 0);
  const failedCalls = failed.reduce((sum, one) => sum + one, 0);
  return (
    <Group gap="md">
      <Group gap={6}>
        <Sparkline values={latency} label={translate("First byte of the last 24 hours, by hour")} />
        <Text size="xs">{last === undefined ? translate("no calls") : formatDuration(last)}</Text>
      </Group>
      <Group gap={6}>
        <Sparkline
          values={failed}
          label={translate("Failed calls of the last 24 hours, by hour")}
          color="var(--mantine-color-red-filled)"
        />
        <Text size="xs">{translate("{share} failed", { share: formatShare(failedCalls, calls) })}</Text>
      </Group>
    </Group>
  );
}
