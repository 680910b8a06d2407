import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { get, post } from "../api/client.ts";
import type { Channel, ChannelTest } from "../api/types.ts";
import { duration } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { AddVendor } from "../parts/add-vendor.tsx";
import { StateBadge } from "../parts/badges.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { FailedChange, useChange } from "../parts/use-change.tsx";

/** Every channel: how it stands, why and until when, its keys one by one; tested, enabled and disabled here. */
export function ChannelsPage() {
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: () => get<readonly Channel[]>("/channels"),
    refetchInterval: 10_000,
  });
  return (
    <Page title="Channels" controls={<AddVendor />}>
      <Loaded query={channels}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>No channels are configured.</Empty>
          ) : (
            <Stack>
              {rows.map((channel) => (
                <OneChannel key={channel.id} channel={channel} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function OneChannel({ channel }: { readonly channel: Channel }) {
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" align="start">
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600}>{channel.id}</Text>
            <StateBadge {...channel} />
            <Badge variant="default">{channel.provider}</Badge>
          </Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {channel.baseUrl}
          </Text>
          {channel.reason !== undefined && (
            <Text size="sm">
              {channel.reason}
              {channel.until === undefined ? "" : `, until ${localTime(channel.until)}`}
            </Text>
          )}
          <Text size="sm">{channel.models.join(", ")}</Text>
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              keys {channel.usableKeys}
            </Text>
            {channel.keys.map((key) => (
              <Group key={key.id} gap={4}>
                <Text size="xs" ff="monospace">
                  {key.id}
                </Text>
                <StateBadge {...key} />
              </Group>
            ))}
          </Group>
        </Stack>
        <Controls channel={channel} />
      </Group>
    </Card>
  );
}

function Controls({ channel }: { readonly channel: Channel }) {
  const path = `/channels/${encodeURIComponent(channel.id)}`;
  const word = channel.state === "ok" || channel.state === "trying" ? "disable" : "enable";
  const change = useChange({ change: () => post(`${path}/${word}`), changes: ["channels"] });
  const test = useMutation({ mutationFn: () => post<ChannelTest>(`${path}/test`) });
  return (
    <Stack gap={4} align="end">
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          loading={test.isPending}
          onClick={() => test.mutate()}
          aria-label={`test ${channel.id}`}
        >
          test
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          loading={change.isPending}
          onClick={change.start}
          aria-label={`${word} ${channel.id}`}
        >
          {word}
        </Button>
      </Group>
      {test.data !== undefined && (
        <Text size="xs" role="status" maw={320} ta="right" style={{ overflowWrap: "anywhere" }}>
          {test.data.ok
            ? `${test.data.model} answered in ${duration(test.data.ms)}`
            : `status ${test.data.status}: ${test.data.said.slice(0, 200)}`}
        </Text>
      )}
      <FailedChange error={change.error ?? test.error} />
    </Stack>
  );
}
