import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import { exactUsd, shortUsd } from "../format/money.ts";
import { localClock, periodOf } from "../format/times.ts";
import { translate } from "../texts/translate.ts";
import { DataTable } from "./data-table.tsx";
import { PageLink } from "./page-link.tsx";
import { Empty, QueryResult } from "./states.tsx";

const [shownCalls, refreshMs] = ["7", 2_000];

/** Newest calls, refreshed periodically. */
export function LatestCalls() {
  const { from, to } = periodOf("7d");
  const latest = useQuery({
    queryKey: ["latest calls"],
    queryFn: ({ signal }) => get("/usage/events", { query: { from, to, limit: shownCalls } }, signal),
    refetchInterval: refreshMs,
  });
  return (
    <QueryResult query={latest}>
      {({ events }) =>
        events.length === 0 ? (
          <Empty>{translate("No calls yet. A call appears here shortly after it ends.")}</Empty>
        ) : (
          <DataTable
            label={translate("Latest calls")}
            rows={events}
            keyOf={({ id }) => id}
            withCsv={false}
            columns={[
              {
                heading: translate("Time"),
                cell: ({ time, requestId }) => (
                  <PageLink to="/calls/$requestId" params={{ requestId }} style={{ whiteSpace: "nowrap" }}>
                    {localClock(time)}
                  </PageLink>
                ),
              },
              {
                heading: translate("Model"),
                cell: ({ model, outcome }) => <ModelName model={model} hasFailed={outcome === "failed"} />,
              },
              {
                heading: translate("Cost"),
                numeric: true,
                cell: ({ costNanos }) => <span title={exactUsd(costNanos)}>{shortUsd(costNanos)}</span>,
              },
            ]}
          />
        )
      }
    </QueryResult>
  );
}

function ModelName({ model, hasFailed }: { readonly model: string; readonly hasFailed: boolean }) {
  return (
    <Text size="sm" truncate maw={110} title={model}>
      {hasFailed ? translate("{model}: failed", { model }) : model}
    </Text>
  );
}
