import { Card, Code, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { get } from "../api/client.ts";
import type { Call, RefusedCall } from "../api/types.ts";
import { exactUsd } from "../format/money.ts";
import { formatDuration } from "../format/numbers.ts";
import { localTime, periodOf } from "../format/times.ts";
import { OutcomeBadge } from "../parts/badges.tsx";
import { CopiedWord } from "../parts/copied.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { CostSum } from "../parts/sum.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { translate } from "../texts/translate.ts";

const route = getRouteApi("/frame/calls/$requestId");

const earliestDay = "2020-01-01";

/** Interval in ms and maximum number of polls for a call that is not in the books yet. */
const [pollMs, maxPolls] = [2_000, 60];

/** Page of one request: one call, or the calls of a realtime session. */
export function CallPage() {
  const { requestId } = route.useParams();
  const callsQuery = useQuery({
    queryKey: ["call", requestId],
    queryFn: async ({ signal }) => {
      const query = { "request-id": requestId, from: earliestDay, to: periodOf("1d").to, limit: "100" };
      const [{ events }, { refused }] = await Promise.all([
        get("/usage/events", { query }, signal),
        get("/usage/refused", { query }, signal),
      ]);
      return { events, refused };
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.events.length === 0 && data.refused.length === 0 && dataUpdateCount < maxPolls ? pollMs : false,
  });
  return (
    <Page title={translate("Call")} controls={<CopiedWord text={requestId} />}>
      <QueryResult query={callsQuery}>
        {({ events, refused }) =>
          events.length + refused.length === 0 ? (
            <Empty>
              {translate(
                "No call has this request id. A call appears shortly after it ends. Refused calls are stored for a week.",
              )}
            </Empty>
          ) : (
            <Stack>
              {events.map((call) => (
                <CallDetails key={call.id} call={call} />
              ))}
              {refused.map((call) => (
                <RefusalDetails key={call.id} call={call} />
              ))}
            </Stack>
          )
        }
      </QueryResult>
    </Page>
  );
}

function CallDetails({ call }: { readonly call: Call }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Card withBorder>
        <Title order={3} size="h5" mb="xs">
          {translate("Result")}
        </Title>
        <FactTable
          facts={{
            [translate("Time")]: localTime(call.time),
            [translate("Outcome")]: <OutcomeBadge {...call} />,
            [translate("Endpoint")]: <Code>{call.endpoint}</Code>,
            [translate("Account")]: (
              <PageLink to="/accounts/$id" params={{ id: call.accountId }}>
                {call.accountId}
              </PageLink>
            ),
            [translate("Key")]: (
              <PageLink to="/calls" search={{ span: "7d", token: call.tokenId }}>
                {call.tokenId}
              </PageLink>
            ),
            [translate("Team")]: <TeamOf call={call} />,
            [translate("Group")]: call.group,
            [translate("Model")]: translate("{model} ({upstream} at the vendor)", {
              model: call.model,
              upstream: call.upstreamModel,
            }),
            [translate("Vendor's request id")]:
              call.upstreamRequestId === undefined ? "–" : <Code>{call.upstreamRequestId}</Code>,
            [translate("Call id")]: <Code>{call.id}</Code>,
            [translate("Channel")]: (
              <PageLink to="/calls" search={{ span: "7d", channel: call.channelId }}>
                {call.channelId}
              </PageLink>
            ),
            [translate("Tags")]: <Tags tags={call.tags} />,
            [translate("End user")]: <EndUser name={call.endUser} />,
            [translate("First byte")]: formatDuration(call.firstByteMs),
            [translate("Total")]: formatDuration(call.latencyMs),
          }}
        />
      </Card>
      <Stack>
        <Card withBorder>
          <Title order={3} size="h5" mb="xs">
            {translate("Cost: {amount}", { amount: exactUsd(call.costNanos) })}
          </Title>
          <CostSum call={call} />
          <Notes call={call} />
        </Card>
        <Timeline call={call} />
      </Stack>
    </SimpleGrid>
  );
}

function TeamOf({ call: { accountId, team, member } }: { readonly call: Call }) {
  if (team === undefined) return "–";
  return (
    <PageLink to="/calls" search={{ span: "7d", account: accountId, team }}>
      {member ?? team}
    </PageLink>
  );
}

function RefusalDetails({ call }: { readonly call: RefusedCall }) {
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="xs">
        {translate("Reason for the refusal")}
      </Title>
      <FactTable
        facts={{
          [translate("Time")]: localTime(call.time),
          [translate("Status")]: call.status,
          [translate("Reason")]: <Code>{call.code}</Code>,
          [translate("Meaning")]: call.meaning,
          [translate("Message")]: call.message ?? "–",
          [translate("Field")]: call.param === undefined ? "–" : <Code>{call.param}</Code>,
          [translate("Endpoint")]: <Code>{call.endpoint}</Code>,
          [translate("Model")]: call.model ?? "–",
          [translate("Account")]: (
            <PageLink to="/accounts/$id" params={{ id: call.accountId }}>
              {call.accountId}
            </PageLink>
          ),
          [translate("Key")]: call.tokenId,
        }}
      />
      <Text size="sm" c="dimmed" mt="xs">
        {translate("The call was not charged and was not sent to a vendor.")}
        {call.calls > 1 &&
          ` ${translate("{count} more refused calls of this account followed and were not stored.", { count: call.calls - 1 })}`}
      </Text>
    </Card>
  );
}

function FactTable({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>
        {Object.entries(facts).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={110}>{name}</Table.Th>
            <Table.Td style={{ overflowWrap: "anywhere" }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Tags({ tags = {} }: { readonly tags: Call["tags"] | undefined }) {
  const all = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  if (all.length === 0) return "–";
  return (
    <Group gap="xs">
      {all.map((tag) => (
        <PageLink key={tag} to="/calls" search={{ span: "7d", tag }}>
          {tag}
        </PageLink>
      ))}
    </Group>
  );
}

function EndUser({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return "–";
  return (
    <PageLink to="/calls" search={{ span: "7d", endUser: name }}>
      {name}
    </PageLink>
  );
}

function Notes({ call }: { readonly call: Call }) {
  const notes = [
    call.requestedModel === undefined
      ? undefined
      : translate("Requested model: {model}.", { model: call.requestedModel }),
    call.estimated ? translate("The vendor reported no usage: the units are estimated.") : undefined,
    call.capped === undefined
      ? undefined
      : translate("Limited to the maximum that the call can have used: {units}.", { units: call.capped.join(", ") }),
    call.unpriced === undefined ? undefined : translate("No price for: {units}.", { units: call.unpriced.join(", ") }),
    call.serviceTier === undefined ? undefined : translate("Service tier: {tier}.", { tier: call.serviceTier }),
  ].filter((note) => note !== undefined);
  return notes.map((note) => (
    <Text key={note} size="sm" c="dimmed" mt="xs">
      {note}
    </Text>
  ));
}
