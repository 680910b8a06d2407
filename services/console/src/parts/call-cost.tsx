import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { exactUsd, sumNanos } from "../format/money.ts";
import { periodOf } from "../format/times.ts";
import { translate } from "../texts/translate.ts";
import { PageLink } from "./page-link.tsx";

const pollMs = 1_000;

/** Cost of a call. Polls the books, where the call appears after its end. */
export function CallCost({ requestId }: { readonly requestId: string }) {
  const { from, to } = periodOf("7d");
  const callsQuery = useQuery({
    queryKey: ["cost", requestId],
    queryFn: () => get("/usage/events", { query: { "request-id": requestId, from, to } }),
    refetchInterval: ({ state }) => (state.data?.events.length === 0 ? pollMs : false),
  });
  const calls = callsQuery.data?.events ?? [];
  return (
    <Group gap="xs">
      {calls.length > 0 && (
        <Text size="xs">
          {translate("cost {amount}", { amount: exactUsd(sumNanos(calls.map(({ costNanos }) => costNanos))) })}
        </Text>
      )}
      <PageLink size="xs" to="/calls/$requestId" params={{ requestId }}>
        {translate("cost details")}
      </PageLink>
    </Group>
  );
}
