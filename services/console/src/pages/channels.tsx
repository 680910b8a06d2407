import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { get, post } from "../api/client.ts";
import type { Channel } from "../api/types.ts";
import { formatDuration } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { AddVendor } from "../parts/add-vendor.tsx";
import { channelActions } from "../parts/channel-actions.ts";
import { ChannelTrend, useChannelTrends } from "../parts/channel-trend.tsx";
import { StateBadge } from "../parts/badges.tsx";
import { EditPart } from "../parts/edit-part.tsx";
import { ChannelAdditions } from "../parts/channel-additions.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { FailedChange } from "../parts/use-change.tsx";
import { usePermission } from "../parts/use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

export function ChannelsPage() {
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: () => get("/channels"),
    refetchInterval: 10_000,
  });
  const trendOf = useChannelTrends();
  const mayAdd = usePermission("admin");
  return (
    <Page
      title={translate("Channels")}
      controls={
        <Group gap="xs">
          <EditPart section="channels" />
          {mayAdd && <AddVendor />}
        </Group>
      }
    >
      <QueryResult query={channels}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No channels are configured.")}</Empty>
          ) : (
            <Stack>
              {rows.map((channel) => (
                <ChannelCard key={channel.id} channel={channel}>
                  <ChannelTrend trend={trendOf(channel.id)} />
                </ChannelCard>
              ))}
            </Stack>
          )
        }
      </QueryResult>
    </Page>
  );
}

function ChannelCard({ channel, children }: { readonly channel: Channel; readonly children: ReactNode }) {
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" align="start">
        <Stack gap={4} flex={1} miw={240}>
          <Group gap="xs">
            <Text fw={600}>{channel.id}</Text>
            <StateBadge {...channel} />
            <Badge variant="default">{channel.provider}</Badge>
          </Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {channel.baseUrl}
            {channel.proxy !== null && ` ${translate("through the proxy {proxy}", { proxy: channel.proxy })}`}
          </Text>
          <ChannelAdditions channel={channel} />
          {channel.reason !== undefined && (
            <Text size="sm">
              {channel.reason}
              {channel.vendorMessage === undefined ? "" : `: ${channel.vendorMessage}`}
              {channel.until === undefined ? "" : translate(", until {time}", { time: localTime(channel.until) })}
            </Text>
          )}
          <Text size="sm">{channel.models.join(", ")}</Text>
          {children}
          <Text size="xs" c="dimmed">
            {translate("keys {usable}", { usable: channel.usableKeys })}
          </Text>
          {channel.keys.map((key) => (
            <Group key={key.id} gap="xs">
              <Text size="xs" ff="monospace">
                {key.id}
              </Text>
              <StateBadge {...key} />
              <Controls channel={channel} of={key} />
            </Group>
          ))}
        </Stack>
        <Group gap="xs" align="start">
          <EditPart section="channels" name={channel.id} />
          <Controls channel={channel} />
        </Group>
      </Group>
    </Card>
  );
}

/** Buttons that test, disable and enable a channel or a key, if the person may do so. */
function Controls(props: ControlsProps) {
  return usePermission("operator") ? <ChannelControls {...props} /> : null;
}

interface ControlsProps {
  readonly channel: Channel;
  readonly of?: Channel["keys"][number];
}

function ChannelControls({ channel, of }: ControlsProps) {
  const request = { params: { id: channel.id }, body: of === undefined ? {} : { key: of.id } };
  const name = of === undefined ? channel.id : `${channel.id} ${of.id}`;
  const { state } = of ?? channel;
  const test = useMutation({ mutationFn: () => post("/channels/{id}/test", request) });
  return (
    <Stack gap={4} align={of === undefined ? "end" : "start"}>
      <Group gap="xs" align="start">
        <Button
          size="compact-xs"
          variant="default"
          tt="capitalize"
          loading={test.isPending}
          onClick={() => test.mutate()}
          aria-label={`${translate("test")} ${name}`}
        >
          {translate("test")}
        </Button>
        {channelActions(state).map((action) => (
          <ActionButton
            key={action}
            text={translateTerm(action)}
            label={`${translateTerm(action)} ${name}`}
            run={() => post(`/channels/{id}/${action === "disable" ? "disable" : "enable"}`, request)}
            changes={["channels"]}
          />
        ))}
      </Group>
      {test.data !== undefined && (
        <Text size="xs" role="status" maw={320} style={{ overflowWrap: "anywhere" }}>
          {test.data.ok
            ? translate("{model} answered in {time}", { model: test.data.model, time: formatDuration(test.data.ms) })
            : translate("Status {status}: {words}", {
                status: test.data.status,
                words: test.data.vendorMessage.slice(0, 200),
              })}
        </Text>
      )}
      <FailedChange error={test.error} />
    </Stack>
  );
}
