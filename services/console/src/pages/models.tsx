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
import { translate, translateTerm } from "../texts/translate.ts";

export function ModelsPage() {
  const models = useQuery({ queryKey: ["models"], queryFn: () => get("/models") });
  const totalsOf = useModelTotals();
  return (
    <Page title={translate("Models")} controls={<EditPart section="models" />}>
      <QueryResult query={models}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>{translate("No models are configured.")}</Empty>
          ) : (
            <DataTable
              label={translate("Models")}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                {
                  heading: translate("Model"),
                  cell: ({ name }) => (
                    <PageLink to="/calls" search={{ span: "7d", model: name }} style={{ whiteSpace: "nowrap" }}>
                      {name}
                    </PageLink>
                  ),
                },
                { heading: translate("Kind"), cell: ({ kind }) => translateTerm(kind) },
                { heading: translate("Price"), cell: ({ price }) => <Price price={price} /> },
                {
                  heading: translate("Context"),
                  numeric: true,
                  cell: ({ contextTokens }) => (contextTokens === undefined ? "–" : formatCount(contextTokens)),
                },
                {
                  heading: translate("Calls, last 7 days"),
                  numeric: true,
                  cell: ({ name }) => formatCount(totalsOf(name).calls),
                },
                { heading: translate("Failed"), numeric: true, cell: ({ name }) => totalsOf(name).failed },
                { heading: translate("First byte p50"), numeric: true, cell: ({ name }) => totalsOf(name).firstByte },
                {
                  heading: translate("Served by"),
                  cell: ({ channels }) => channels.join(", ") || translate("no channel"),
                },
                { heading: translate("Action"), cell: ({ name }) => <EditPart section="models" name={name} /> },
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
