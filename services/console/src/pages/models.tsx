import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Total } from "../api/types.ts";
import { formatCount, formatDuration, formatShare } from "../format/numbers.ts";
import { periodOf } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Groups } from "../parts/groups.tsx";
import { Page } from "../parts/page.tsx";
import { EditPart } from "../parts/edit-part.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { Price } from "../parts/price.tsx";
import { say, sayWord } from "../texts/say.ts";

export function ModelsPage() {
  const models = useQuery({ queryKey: ["models"], queryFn: () => get("/models") });
  const totalsOf = useModelTotals();
  return (
    <Page title={say("Models")} controls={<EditPart section="models" />}>
      <QueryResult query={models}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{say("No models are configured.")}</Empty>
          ) : (
            <DataTable
              label={say("Models")}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                {
                  heading: say("Model"),
                  cell: ({ name }) => (
                    <PageLink to="/calls" search={{ span: "7d", model: name }} style={{ whiteSpace: "nowrap" }}>
                      {name}
                    </PageLink>
                  ),
                },
                { heading: say("Kind"), cell: ({ kind }) => sayWord(kind) },
                { heading: say("Price"), cell: ({ price }) => <Price price={price} /> },
                {
                  heading: say("Context"),
                  numeric: true,
                  cell: ({ contextTokens }) => (contextTokens === undefined ? "–" : formatCount(contextTokens)),
                },
                {
                  heading: say("Calls, last 7 days"),
                  numeric: true,
                  cell: ({ name }) => formatCount(totalsOf(name).calls),
                },
                { heading: say("Failed"), numeric: true, cell: ({ name }) => totalsOf(name).failed },
                { heading: say("First byte p50"), numeric: true, cell: ({ name }) => totalsOf(name).firstByte },
                { heading: say("Served by"), cell: ({ channels }) => channels.join(", ") || say("no channel") },
                { heading: say("Action"), cell: ({ name }) => <EditPart section="models" name={name} /> },
              ]}
            />
          )
        }
      </QueryResult>
      <Groups />
    </Page>
  );
}

function useModelTotals() {
  const { from, to } = periodOf("7d");
  const totals = useQuery({
    queryKey: ["totals", from, to, "model,outcome"],
    queryFn: () => get("/usage", { query: { from, to, by: "model,outcome", sums: "calls" } }),
  });
  const times = useQuery({
    queryKey: ["first bytes", from, to, "model"],
    queryFn: () => get("/usage/first-bytes", { query: { from, to, by: "model" } }),
  });
  return (name: string) => {
    const modelTotals = totals.data?.filter(({ by }) => by["model"] === name) ?? [];
    const callsOf = (rows: readonly Total[]) => rows.reduce((sum, { sums }) => sum + Number(sums["calls"] ?? 0), 0);
    const time = times.data?.find(({ by }) => by["model"] === name);
    return {
      calls: callsOf(modelTotals),
      failed: formatShare(callsOf(modelTotals.filter(({ by }) => by["outcome"] === "failed")), callsOf(modelTotals)),
      firstByte: time === undefined ? "–" : formatDuration(time.p50),
    };
  };
}
