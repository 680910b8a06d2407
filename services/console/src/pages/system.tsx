import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Process, System } from "../api/types.ts";
import { formatBytes, formatCount, formatDuration } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { useSystem } from "../parts/use-system.ts";
import { say } from "../texts/say.ts";

/** Page of processes, services and stores. */
export function SystemPage() {
  const system = useSystem();
  return (
    <Page title={say("System")}>
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
      {isUp ? say("up") : say("unavailable")}
    </Badge>
  );
}

function Stores({ system: { redis, nats, books, ledger } }: { readonly system: System }) {
  const stores = [
    { name: "Redis", store: redis, more: redis.nodes.map(memory).join("; ") },
    { name: "NATS", store: nats, more: "" },
    { name: say("Books"), store: books, more: books.engine === "postgres" ? "PostgreSQL" : (books.engine ?? "") },
    { name: say("Ledger"), store: ledger, more: "" },
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
  return say("{used} of {all} used", { used: formatBytes(usedBytes), all: formatBytes(limitBytes) });
}

function Processes({ processes }: { readonly processes: readonly Process[] }) {
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {say("Services")}
      </Title>
      <DataTable
        label={say("Services")}
        rows={processes}
        keyOf={({ id }) => id}
        columns={[
          { heading: say("Services"), cell: ({ services }) => services.join(", ") },
          { heading: say("State"), cell: (process) => <ProcessState process={process} /> },
          { heading: say("Version"), cell: ({ version }) => version },
          { heading: say("Host"), cell: ({ host, pid }) => `${host} (${pid})` },
          { heading: say("Started"), cell: ({ startedAt }) => localTime(startedAt) },
          { heading: say("Last seen"), cell: ({ seenAt }) => localTime(seenAt) },
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
        {isGone ? say("stopped") : lines.length > 0 ? say("not ready") : say("ready")}
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
        {say("Events waiting for the books")}
      </Title>
      {streams.length === 0 ? (
        <Empty>{say("Currently unknown.")}</Empty>
      ) : (
        <DataTable
          label={say("Streams")}
          rows={streams}
          keyOf={({ stream }) => stream}
          columns={[
            { heading: say("Stream"), cell: ({ stream }) => stream },
            { heading: say("State"), cell: ({ isThere }) => <StatusBadge isUp={isThere} /> },
            { heading: say("Waiting"), numeric: true, cell: ({ waiting }) => formatCount(waiting) },
            { heading: say("Oldest"), numeric: true, cell: ({ oldestMs }) => formatDuration(oldestMs) },
          ]}
        />
      )}
      <Text size="sm" mt="sm">
        {say("Open holds: {holds}. Events not yet published: {events}.", {
          holds: openHolds ?? "–",
          events: outboxEvents ?? "–",
        })}
      </Text>
    </Card>
  );
}
