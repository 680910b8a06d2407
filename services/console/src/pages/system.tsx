import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Process, System } from "../api/types.ts";
import { formatBytes, formatCount, formatDuration } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { useSystem } from "../parts/use-system.ts";
import { translate } from "../texts/translate.ts";

/** Page of processes, services and stores. */
export function SystemPage() {
  const system = useSystem();
  return (
    <Page title={translate("System")}>
      <QueryResult query={system}>
        {(found) => (
          <Stack>
            <Stores system={found} />
            <Processes processes={found.processes} />
            <Lag system={found} />
          </Stack>
        )}
      </QueryResult>
    </Page>
  );
}

function StatusBadge({ isUp }: { readonly isUp: boolean }) {
  return (
    <Badge variant="dot" color={isUp ? "teal" : "red"}>
      {isUp ? translate("up") : translate("unavailable")}
    </Badge>
  );
}

function Stores({ system: { redis, nats, books, ledger } }: { readonly system: System }) {
  const stores = [
    { name: "Redis", store: redis, more: redis.nodes.map(memory).join("; ") },
    { name: "NATS", store: nats, more: "" },
    { name: translate("Books"), store: books, more: books.engine === "postgres" ? "PostgreSQL" : (books.engine ?? "") },
    { name: translate("Ledger"), store: ledger, more: "" },
  ];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      {stores.map(({ name, store, more }) => (
        <Card key={name} withBorder padding="sm">
          <Group justify="space-between">
            <Text fw={600}>{name}</Text>
            <StatusBadge isUp={store.ok} />
          </Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {store.message ?? more}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function memory({ usedBytes, limitBytes }: System["redis"]["nodes"][number]): string {
  return translate("{used} of {all} used", { used: formatBytes(usedBytes), all: formatBytes(limitBytes) });
}

function Processes({ processes }: { readonly processes: readonly Process[] }) {
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Services")}
      </Title>
      <DataTable
        label={translate("Services")}
        rows={processes}
        keyOf={({ id }) => id}
        columns={[
          { heading: translate("Services"), cell: ({ services }) => services.join(", ") },
          { heading: translate("State"), cell: (process) => <ProcessState process={process} /> },
          { heading: translate("Version"), cell: ({ version }) => version },
          { heading: translate("Host"), cell: ({ host, pid }) => `${host} (${pid})` },
          { heading: translate("Started"), cell: ({ startedAt }) => localTime(startedAt) },
          { heading: translate("Last seen"), cell: ({ seenAt }) => localTime(seenAt) },
        ]}
      />
    </Card>
  );
}

function ProcessState({ process: { isGone, problems } }: { readonly process: Process }) {
  const lines = Object.entries(problems).map(([name, problem]) => `${name}: ${problem}`);
  return (
    <Stack gap={2}>
      <Badge variant="dot" color={isGone ? "red" : lines.length > 0 ? "yellow" : "teal"}>
        {isGone ? translate("stopped") : lines.length > 0 ? translate("not ready") : translate("ready")}
      </Badge>
      {lines.map((line) => (
        <Text key={line} size="xs">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

function Lag({ system: { streams, openHolds, outboxEvents } }: { readonly system: System }) {
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {translate("Events waiting for the books")}
      </Title>
      {streams.length === 0 ? (
        <Empty>{translate("Currently unknown.")}</Empty>
      ) : (
        <DataTable
          label={translate("Streams")}
          rows={streams}
          keyOf={({ stream }) => stream}
          columns={[
            { heading: translate("Stream"), cell: ({ stream }) => stream },
            { heading: translate("State"), cell: ({ isThere }) => <StatusBadge isUp={isThere} /> },
            { heading: translate("Waiting"), numeric: true, cell: ({ waiting }) => formatCount(waiting) },
            { heading: translate("Oldest"), numeric: true, cell: ({ oldestMs }) => formatDuration(oldestMs) },
          ]}
        />
      )}
      <Text size="sm" mt="sm">
        {translate("Open holds: {holds}. Events not yet published: {events}.", {
          holds: openHolds ?? "–",
          events: outboxEvents ?? "–",
        })}
      </Text>
    </Card>
  );
}
