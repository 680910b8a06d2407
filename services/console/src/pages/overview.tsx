import { BarChart } from "@mantine/charts";
import { Button, Card, Group, SegmentedControl, SimpleGrid, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../api/client.ts";
import type { CallPage, Total } from "../api/types.ts";
import { shortUsd, sumNanos } from "../format/money.ts";
import { count, duration, percentage, percentile } from "../format/numbers.ts";
import { isSpan, periodOf, spans, type Span } from "../format/times.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { WrongNow } from "../parts/wrong-now.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { PageLink } from "../parts/page-link.tsx";

const route = getRouteApi("/frame/overview");
const refreshMs = 10_000;

/** Spend, calls, tokens, errors and times of a span, and what is wrong now. */
export function OverviewPage() {
  const { span, tag } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (chosen: string): void => {
    if (isSpan(chosen)) void navigate({ search: { span: chosen, tag } });
  };
  const data = Object.entries(spans).map(([value, label]) => ({ value, label }));
  return (
    <Page title="Overview" controls={<SegmentedControl aria-label="Span" data={data} value={span} onChange={choose} />}>
      <WrongNow />
      <Figures span={span} />
      <Spend span={span} />
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Top span={span} by="model" title="Models" />
        <Top span={span} by="account" title="Accounts" />
        <Top span={span} by="channel" title="Channels" />
      </SimpleGrid>
      <ByTag key={tag} span={span} tag={tag} onChoose={(name) => void navigate({ search: { span, tag: name } })} />
    </Page>
  );
}

function useTotals(span: Span, by: string) {
  const { from, to } = periodOf(span);
  return useQuery({
    queryKey: ["totals", from, to, by],
    queryFn: ({ signal }) => get<readonly Total[]>("/usage", { by, from, to }, signal),
    refetchInterval: refreshMs,
  });
}

function Figures({ span }: { readonly span: Span }) {
  const totals = useTotals(span, "outcome");
  return (
    <Loaded query={totals}>
      {(rows) => {
        const sum = (name: string): number => rows.reduce((all, { sums }) => all + Number(sums[name] ?? 0), 0);
        const failed = rows.filter(({ by }) => by["outcome"] === "failed");
        const errors = failed.reduce((all, { sums }) => all + Number(sums["calls"] ?? 0), 0);
        return (
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
            <Figure name="Spend" value={shortUsd(sumNanos(rows.map(({ sums }) => sums["costNanos"] ?? "0")))} />
            <Figure name="Calls" value={count(sum("calls"))} />
            <Figure name="Input tokens" value={count(sum("inputTokens"))} />
            <Figure name="Output tokens" value={count(sum("outputTokens"))} />
            <Figure name="Failed" value={percentage(errors, sum("calls"))} />
            <FirstByte span={span} />
          </SimpleGrid>
        );
      }}
    </Loaded>
  );
}

function FirstByte({ span }: { readonly span: Span }) {
  const { from, to } = periodOf(span);
  const newest = useQuery({
    queryKey: ["newest calls", from, to],
    queryFn: ({ signal }) => get<CallPage>("/usage/events", { from, to, outcome: "completed", limit: "1000" }, signal),
    refetchInterval: refreshMs,
  });
  const samples = newest.data?.events.map(({ firstByteMs }) => firstByteMs) ?? [];
  const [middle, high] = [percentile(samples, 0.5), percentile(samples, 0.95)];
  const value = middle === undefined || high === undefined ? "–" : `${duration(middle)} / ${duration(high)}`;
  return <Figure name="First byte p50 / p95" value={value} hint={`newest ${samples.length} completed calls`} />;
}

function Figure({ name, value, hint }: { readonly name: string; readonly value: string; readonly hint?: string }) {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} size="lg" data-figure={name}>
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

/** Colors that are distinct on light and dark, in the order of the dearest models. */
const colors = ["cyan.7", "orange.7", "grape.6", "lime.8", "pink.6", "indigo.6"];
const otherModels = "other";

function Spend({ span }: { readonly span: Span }) {
  const { by } = periodOf(span);
  const totals = useTotals(span, `${by},model`);
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        Spend by model (US dollars, UTC {by}s)
      </Title>
      <Loaded query={totals}>{(rows) => (rows.length === 0 ? <NoCalls /> : <SpendChart rows={rows} by={by} />)}</Loaded>
    </Card>
  );
}

function SpendChart({ rows, by }: { readonly rows: readonly Total[]; readonly by: "hour" | "day" }) {
  const dearest = [...Map.groupBy(rows, (row) => row.by["model"] ?? "")]
    .map(([model, its]) => ({ model, cost: its.reduce((sum, { sums }) => sum + Number(sums["costNanos"]), 0) }))
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, colors.length - 1)
    .map(({ model }) => model);
  const nameOf = (model: string | undefined): string => dearest.find((known) => known === model) ?? otherModels;
  const data = [...Map.groupBy(rows, (row) => row.by[by] ?? "")].map(([time, its]) => {
    const point: Record<string, number | string> = { time: by === "hour" ? time.slice(11, 16) : time };
    for (const row of its) {
      const name = nameOf(row.by["model"]);
      point[name] = Number(point[name] ?? 0) + Number(row.sums["costNanos"]) / 1e9;
    }
    return point;
  });
  const names = rows.some((row) => nameOf(row.by["model"]) === otherModels) ? [...dearest, otherModels] : dearest;
  const series = names.map((name, at) => ({ name, color: colors[at] ?? "gray.6" }));
  return (
    <BarChart
      h={260}
      data={data}
      dataKey="time"
      type="stacked"
      series={series}
      barProps={{ maxBarSize: 48 }}
      withLegend
    />
  );
}

/** Spend by the values of one tag, whose name stands in the address. */
function ByTag({
  span,
  tag,
  onChoose,
}: {
  readonly span: Span;
  readonly tag: string | undefined;
  readonly onChoose: (tag: string | undefined) => void;
}) {
  const [name, setName] = useState(tag ?? "");
  return (
    <Card withBorder padding="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onChoose(name.trim() === "" ? undefined : name.trim());
        }}
      >
        <Group align="end" mb="xs">
          <TextInput
            label="Spend by tag"
            placeholder="team"
            size="xs"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default">
            Show
          </Button>
        </Group>
      </form>
      {tag !== undefined && <TagTotals span={span} tag={tag} />}
    </Card>
  );
}

function TagTotals({ span, tag }: { readonly span: Span; readonly tag: string }) {
  const by = `tag:${tag}`;
  const totals = useTotals(span, by);
  return (
    <Loaded query={totals}>
      {(rows) => (
        <DataTable
          label={`Spend by ${tag}`}
          rows={rows.toSorted((one, other) => Number(other.sums["costNanos"]) - Number(one.sums["costNanos"]))}
          keyOf={(row) => row.by[by] ?? ""}
          columns={[
            {
              heading: tag,
              cell: (row) =>
                row.by[by] === "" ? (
                  "without"
                ) : (
                  <PageLink to="/calls" search={{ span, tag: `${tag}=${row.by[by] ?? ""}` }}>
                    {row.by[by]}
                  </PageLink>
                ),
            },
            { heading: "Calls", numeric: true, cell: ({ sums }) => count(sums["calls"]) },
            { heading: "Spend", numeric: true, cell: ({ sums }) => shortUsd(sums["costNanos"] ?? "0") },
          ]}
        />
      )}
    </Loaded>
  );
}

function Top({ span, by, title }: { readonly span: Span; readonly by: string; readonly title: string }) {
  const totals = useTotals(span, by);
  return (
    <Card withBorder padding="sm">
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <Loaded query={totals}>
        {(rows) =>
          rows.length === 0 ? (
            <NoCalls />
          ) : (
            <DataTable
              label={`${title} by spend`}
              rows={rows
                .toSorted((one, other) => Number(other.sums["costNanos"]) - Number(one.sums["costNanos"]))
                .slice(0, 8)}
              keyOf={(row) => row.by[by] ?? ""}
              columns={[
                {
                  heading: title.slice(0, -1),
                  cell: (row) => (
                    <PageLink to="/calls" search={{ span, [by]: row.by[by] }}>
                      {row.by[by]}
                    </PageLink>
                  ),
                },
                { heading: "Calls", numeric: true, cell: ({ sums }) => count(sums["calls"]) },
                { heading: "Spend", numeric: true, cell: ({ sums }) => shortUsd(sums["costNanos"] ?? "0") },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function NoCalls() {
  return <Empty>No calls in this span yet.</Empty>;
}
