import { Alert, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Account, Channel } from "../api/types.ts";
import { formatDuration } from "../format/numbers.ts";
import { useAccounts } from "./use-accounts.ts";
import { useSystem } from "./use-system.ts";
import { translate, translateTerm } from "../texts/translate.ts";
import { exactUsd } from "../format/money.ts";
import { PageLink } from "./page-link.tsx";

const refreshMs = 10_000;
const maxShown = 5;
/** A balance is low if the available money is below the total credits divided by this number. */
const lowBalanceDivisor = 20n;

/** Current problems of services, stores, channels, balances and prices. */
export function CurrentProblems() {
  return (
    <>
      <SystemTrouble />
      <UnavailableChannels />
      <LowAccounts />
      <Unpriced />
    </>
  );
}

/** Delay of the books in ms from which a warning is shown. */
const longLagMs = 60_000;

function SystemTrouble() {
  const { data: system } = useSystem();
  if (system === undefined) return null;
  const { redis, nats, books, ledger, streams, processes } = system;
  const stores = { Redis: redis, NATS: nats, [translate("Books")]: books, [translate("Ledger")]: ledger };
  const unavailableStores = Object.entries(stores).flatMap(([name, { ok, message: why }]) =>
    ok ? [] : [`${name}: ${why ?? ""}`],
  );
  const lateStreams = streams
    .filter(({ oldestMs, isThere }) => oldestMs > longLagMs || !isThere)
    .map(({ stream, waiting, oldestMs }) =>
      translate("{stream}: {events} events are not in the books, the oldest for {time}", {
        stream,
        events: waiting,
        time: formatDuration(oldestMs),
      }),
    );
  const failingServices = processes
    .filter(({ isGone, problems }) => isGone || Object.keys(problems).length > 0)
    .map(({ services, isGone, problems }) =>
      isGone
        ? translate("{services} stopped unexpectedly", { services: services.join(", ") })
        : Object.entries(problems)
            .map(([name, problem]) => `${name}: ${problem}`)
            .join("; "),
    );
  const lines = [...unavailableStores, ...lateStreams, ...failingServices];
  if (lines.length === 0) return null;
  return (
    <Alert color="red" title={translate("Some components are unavailable or delayed")}>
      <Stack gap={4}>
        {lines.slice(0, maxShown).map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
        <PageLink to="/system">{translate("Show the system page")}</PageLink>
      </Stack>
    </Alert>
  );
}

function UnavailableChannels() {
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: () => get("/channels"),
    refetchInterval: refreshMs,
  });
  const failingChannels = channels.data?.filter((channel) => channel.state !== "ok" && !isUnconfigured(channel)) ?? [];
  if (failingChannels.length === 0) return null;
  return (
    <Alert
      color="yellow"
      title={translate("{number} of {all} channels are unavailable", {
        number: failingChannels.length,
        all: channels.data?.length ?? 0,
      })}
    >
      <Stack gap={4}>
        {failingChannels.slice(0, maxShown).map(({ id, state, reason, vendorMessage }) => (
          <Group key={id} gap="xs">
            <PageLink to="/channels">{id}</PageLink>
            <Text size="sm">
              {translateTerm(state)}
              {reason === undefined ? "" : `: ${reason}`}
              {vendorMessage === undefined ? "" : `: ${vendorMessage}`}
            </Text>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

/** Returns whether a channel is off because its variables are not set. Such a channel is not shown as a problem. */
function isUnconfigured({ state, reason }: Pick<Channel, "state" | "reason">): boolean {
  return state === "off" && reason !== undefined && /^\w+ is not set(?:; \w+ is not set)*$/.test(reason);
}

function LowAccounts() {
  const accounts = useAccounts(refreshMs);
  const low = accounts.data?.filter(hasLowBalance) ?? [];
  if (low.length === 0) return null;
  return (
    <Alert
      color="yellow"
      title={
        low.length === 1
          ? translate("1 account has a low balance")
          : translate("{number} accounts have a low balance", { number: low.length })
      }
    >
      <Stack gap={4}>
        {low.slice(0, maxShown).map(({ id, availableNanos }) => (
          <Group key={id} gap="xs">
            <PageLink to="/accounts/$id" params={{ id }}>
              {id}
            </PageLink>
            <Text size="sm">{translate("{amount} available", { amount: exactUsd(availableNanos) })}</Text>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

function hasLowBalance({ availableNanos, creditedNanos }: Account): boolean {
  return BigInt(availableNanos) * lowBalanceDivisor < BigInt(creditedNanos);
}

/** Number of newest calls that are checked for units without a price. */
const newestCalls = "200";

function Unpriced() {
  const newest = useQuery({
    queryKey: ["unpriced"],
    queryFn: () => get("/usage/events", { query: { limit: newestCalls } }),
    refetchInterval: refreshMs,
  });
  const units = new Set(
    newest.data?.events.flatMap(({ model, unpriced = [] }) => unpriced.map((unit) => `${model}: ${unit}`)),
  );
  if (units.size === 0) return null;
  return (
    <Alert
      color="yellow"
      title={translate("Some of the newest {calls} calls used units without a price", { calls: newestCalls })}
    >
      <Text size="sm">{[...units].slice(0, maxShown).join(", ")}</Text>
    </Alert>
  );
}
