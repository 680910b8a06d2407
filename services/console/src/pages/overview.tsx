import { Card, Grid, SimpleGrid, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get } from "../api/client.ts";
import { shortUsd, sumNanos } from "../format/money.ts";
import { formatCount, formatDurations, formatShare } from "../format/numbers.ts";
import { daysOf, periodOf, type Span } from "../format/times.ts";
import { Breakdown } from "../parts/breakdown.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { LatestCalls } from "../parts/latest-calls.tsx";
import { Page } from "../parts/page.tsx";
import { TimeRangeInput } from "../parts/time-range-input.tsx";
import { SpendChart } from "../parts/spend-chart.tsx";
import { CurrentProblems } from "../parts/current-problems.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import { translate, type TextKey } from "../texts/translate.ts";
import { PageLink } from "../parts/page-link.tsx";

const route = getRouteApi("/frame/overview");
/** Refresh intervals in ms. Totals of long ranges are expensive, so they are refreshed slowly. */
const [refreshMs, slowRefreshMs] = [10_000, 60_000];
const longDays = 14;
const refreshIntervalMs = (span: Span): number => (daysOf(span) > longDays ? slowRefreshMs : refreshMs);

/** Page of a time range and of current problems. */
export function OverviewPage() {
  const { span, by } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title={translate("Overview")}
      controls={<TimeRangeInput span={span} onChoose={(chosen) => void navigate({ search: { span: chosen, by } })} />}
    >
      <CurrentProblems />
      <Figures span={span} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Spend span={span} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card withBorder h="100%">
            <Title order={3} size="h5" mb="sm">
              {translate("Latest calls")}
            </Title>
            <LatestCalls />
          </Card>
        </Grid.Col>
      </Grid>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <TopSpend span={span} by="model" title={translate("Models")} />
        <TopSpend span={span} by="account" title={translate("Accounts")} />
        <TopSpend span={span} by="channel" title={translate("Channels")} />
      </SimpleGrid>
      <Breakdown
        span={span}
        by={by ?? "model"}
        onChoose={(chosen) => void navigate({ search: { span, by: chosen } })}
      />
    </Page>
  );
}

/** Reads totals of a time range. To read only a few sums takes half the time of reading all. */
function useTotals(span: Span, by: string, sums = "calls,costNanos") {
  const { from, to } = periodOf(span);
  return useQuery({
    queryKey: ["totals", from, to, by, sums],
    queryFn: ({ signal }) => get("/usage", { query: { by, from, to, sums } }, signal),
    refetchInterval: refreshIntervalMs(span),
  });
}

function Figures({ span }: { readonly span: Span }) {
  const totals = useTotals(span, "outcome", "calls,costNanos,inputTokens,outputTokens");
  return (
    <QueryResult query={totals}>
      {(rows) => {
        const sum = (name: string): number => rows.reduce((all, { sums }) => all + Number(sums[name] ?? 0), 0);
        const failed = rows.filter(({ by }) => by["outcome"] === "failed");
        const errors = failed.reduce((all, { sums }) => all + Number(sums["calls"] ?? 0), 0);
        return (
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
            <SpendFigure span={span} nanos={sumNanos(rows.map(({ sums }) => sums["costNanos"] ?? "0"))} />
            <Figure name="Calls" value={formatCount(sum("calls"))} />
            <Figure name="Input tokens" value={formatCount(sum("inputTokens"))} />
            <Figure name="Output tokens" value={formatCount(sum("outputTokens"))} />
            <Figure name="Failed" value={formatShare(errors, sum("calls"))} />
            <FirstByte span={span} />
          </SimpleGrid>
        );
      }}
    </QueryResult>
  );
}

function SpendFigure({ span, nanos }: { readonly span: Span; readonly nanos: string }) {
  const forecast = useQuery({
    queryKey: ["forecast", span],
    queryFn: ({ signal }) => get("/usage/forecast", { query: { period: "this-month" } }, signal),
    refetchInterval: slowRefreshMs,
    enabled: span === "this-month",
  });
  if (span !== "this-month" || forecast.data === undefined) return <Figure name="Spend" value={shortUsd(nanos)} />;
  const hint = translate("{amount} expected by the end of the month", {
    amount: shortUsd(forecast.data.forecastNanos),
  });
  return <Figure name="Spend" value={shortUsd(nanos)} hint={hint} />;
}

function FirstByte({ span }: { readonly span: Span }) {
  const { from, to } = periodOf(span);
  const times = useQuery({
    queryKey: ["first bytes", from, to],
    queryFn: ({ signal }) => get("/usage/first-bytes", { query: { from, to } }, signal),
    refetchInterval: refreshIntervalMs(span),
  });
  const all = times.data?.[0];
  const value = all === undefined ? "–" : formatDurations(all.p50, all.p95);
  const hint = translate("{calls} completed calls, accurate to 5 %", { calls: formatCount(all?.calls) });
  return <Figure name="First byte p50 / p95" value={value} hint={hint} />;
}

function Figure({ name, value, hint }: { readonly name: TextKey; readonly value: string; readonly hint?: string }) {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {translate(name)}
      </Text>
      <Text fw={600} size="lg" data-figure={name} style={{ whiteSpace: "nowrap" }}>
        {value}
      </Text>
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </Card>
  );
}

function Spend({ span }: { readonly span: Span }) {
  const { by } = periodOf(span);
  const totals = useTotals(span, `${by},model`);
  return (
    <Card withBorder h="100%">
      <Title order={3} size="h5" mb="sm">
        {by === "hour" ? translate("Spend by model ($, hours)") : translate("Spend by model ($, UTC days)")}
      </Title>
      <QueryResult query={totals}>
        {(rows) => (rows.length === 0 ? <NoCalls /> : <SpendChart rows={rows} span={span} />)}
      </QueryResult>
    </Card>
  );
}

function TopSpend({ span, by, title }: { readonly span: Span; readonly by: string; readonly title: string }) {
  const totals = useTotals(span, by);
  return (
    <Card withBorder padding="sm">
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <QueryResult query={totals}>
        {(rows) =>
          rows.length === 0 ? (
            <NoCalls />
          ) : (
            <DataTable
              label={translate("{what} by spend", { what: title })}
              rows={rows
                .toSorted((one, other) => Number(other.sums["costNanos"]) - Number(one.sums["costNanos"]))
                .slice(0, 8)}
              keyOf={(row) => row.by[by] ?? ""}
              columns={[
                {
                  heading: translate("Name"),
                  cell: (row) => (
                    <PageLink to="/calls" search={{ span, [by]: row.by[by] }}>
                      {row.by[by]}
                    </PageLink>
                  ),
                },
                { heading: translate("Calls"), numeric: true, cell: ({ sums }) => formatCount(sums["calls"]) },
                { heading: translate("Spend"), numeric: true, cell: ({ sums }) => shortUsd(sums["costNanos"] ?? "0") },
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

function NoCalls() {
  return <Empty>{translate("No calls in this time range.")}</Empty>;
}
