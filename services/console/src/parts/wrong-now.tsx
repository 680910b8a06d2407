import { Alert, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Account, CallPage, Channel } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { PageLink } from "./page-link.tsx";

const refreshMs = 10_000;
/** Rows of one kind that are shown; the number of all stands above them. */
const mostShown = 5;
/** An account whose available money is below one part in so many of what it was given runs low. */
const lowPart = 20n;

/** What is wrong now: channels that do not serve, accounts that run low, units without a price. Nothing where all is well. */
export function WrongNow() {
  return (
    <>
      <ChannelsOut />
      <LowAccounts />
      <Unpriced />
    </>
  );
}

function ChannelsOut() {
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: () => get<readonly Channel[]>("/channels"),
    refetchInterval: refreshMs,
  });
  const wrong = channels.data?.filter(({ state }) => state !== "ok") ?? [];
  if (wrong.length === 0) return null;
  return (
    <Alert color="yellow" title={`${wrong.length} of ${channels.data?.length ?? 0} channels do not serve`}>
      <Stack gap={4}>
        {wrong.slice(0, mostShown).map(({ id, state, reason }) => (
          <Group key={id} gap="xs">
            <PageLink to="/channels">{id}</PageLink>
            <Text size="sm">
              {state}
              {reason === undefined ? "" : `: ${reason}`}
            </Text>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

function LowAccounts() {
  const accounts = useQuery({
    queryKey: ["accounts"],
    queryFn: () => get<readonly Account[]>("/accounts"),
    refetchInterval: refreshMs,
  });
  const low = accounts.data?.filter(isLow) ?? [];
  if (low.length === 0) return null;
  return (
    <Alert color="yellow" title={`${low.length} ${low.length === 1 ? "account runs" : "accounts run"} low`}>
      <Stack gap={4}>
        {low.slice(0, mostShown).map(({ id, availableNanos }) => (
          <Group key={id} gap="xs">
            <PageLink to="/accounts/$id" params={{ id }}>
              {id}
            </PageLink>
            <Text size="sm">{exactUsd(availableNanos)} available</Text>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

function isLow({ availableNanos, creditedNanos }: Account): boolean {
  return BigInt(availableNanos) * lowPart < BigInt(creditedNanos);
}

function Unpriced() {
  const newest = useQuery({
    queryKey: ["unpriced"],
    queryFn: () => get<CallPage>("/usage/events", { limit: "200" }),
    refetchInterval: refreshMs,
  });
  const units = new Set(
    newest.data?.events.flatMap(({ model, unpriced = [] }) => unpriced.map((unit) => `${model}: ${unit}`)),
  );
  if (units.size === 0) return null;
  return (
    <Alert color="yellow" title="Calls of today had units without a price">
      <Text size="sm">{[...units].slice(0, mostShown).join(", ")}</Text>
    </Alert>
  );
}
