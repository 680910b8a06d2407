import { Button, Card, Group, SegmentedControl, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { addressOf, get } from "../api/client.ts";
import type { Total } from "../api/types.ts";
import { shortUsd, sumNanos } from "../format/money.ts";
import { formatCount, formatDurations, formatShare } from "../format/numbers.ts";
import { periodOf, type Span } from "../format/times.ts";
import { isTagDimension, plainDimensions, tagIn, type Dimension } from "./dimension.ts";
import { DataTable, type Column } from "./data-table.tsx";
import { FirstByteOfAccount } from "./first-byte.tsx";
import { PageLink } from "./page-link.tsx";
import { Empty, QueryResult } from "./states.tsx";
import { useIsOfOrganisation } from "./use-may.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const refreshMs = 60_000;
const maxRows = 20;
const tagOption = "tag";

/** Totals of a time range by one dimension. */
export function Breakdown({
  span,
  by,
  onChoose,
}: {
  readonly span: Span;
  readonly by: Dimension;
  readonly onChoose: (by: Dimension) => void;
}) {
  const [isNaming, setIsNaming] = useState(false);
  const hasTeams = useIsOfOrganisation();
  const dimensions = plainDimensions.filter((name) => name !== "team" || hasTeams);
  const { from, to } = periodOf(span);
  const isTag = isNaming || isTagDimension(by);
  const choose = (chosen: string): void => {
    const found = plainDimensions.find((name) => name === chosen);
    setIsNaming(found === undefined);
    if (found !== undefined) onChoose(found);
  };
  return (
    <Card withBorder padding="sm">
      <Group mb="xs" align="end">
        <Title order={3} size="h5">
          {translate("Group by")}
        </Title>
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={translate("Group by")}
          data={[...dimensions, tagOption].map((value) => ({ value, label: translateTerm(value) }))}
          value={isTag ? tagOption : by}
          onChange={choose}
        />
        {isTag && <TagName key={by} by={by} onChoose={onChoose} />}
        <Button
          component="a"
          href={addressOf("/usage/chargeback", { query: { by, from, to } })}
          variant="default"
          size="xs"
        >
          {translate("Chargeback as CSV")}
        </Button>
      </Group>
      {isTagDimension(by) || !isTag ? <Rows key={by} span={span} by={by} /> : null}
    </Card>
  );
}

/** Input for the name of a tag. Its value applies on Enter. */
function TagName({ by, onChoose }: { readonly by: Dimension; readonly onChoose: (by: Dimension) => void }) {
  const [name, setName] = useState(tagIn(by) ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") onChoose(`tag:${name.trim()}`);
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label={translate("Name of the tag")}
          placeholder="team"
          size="xs"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default">
          {translate("Show")}
        </Button>
      </Group>
    </form>
  );
}

interface Row {
  readonly value: string;
  readonly calls: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNanos: string;
}

function Rows({ span, by }: { readonly span: Span; readonly by: Dimension }) {
  const { from, to } = periodOf(span);
  const totals = useQuery({
    queryKey: ["totals", from, to, by, "breakdown"],
    queryFn: ({ signal }) => get("/usage", { query: { by: `${by},outcome`, from, to, sums: sums.join(",") } }, signal),
    refetchInterval: refreshMs,
  });
  const columns = useColumns(span, by);
  return (
    <QueryResult query={totals}>
      {(found) => {
        const rows = totalsToRows(found, by);
        if (rows.length === 0) return <Empty>{translate("No calls in this time range.")}</Empty>;
        return (
          <>
            <DataTable
              label={translate("Breakdown by {what}", { what: tagIn(by) ?? translateTerm(by) })}
              rows={rows.slice(0, maxRows)}
              keyOf={({ value }) => value}
              columns={columns}
            />
            {rows.length > maxRows && (
              <Text size="xs" c="dimmed">
                {translate("Top {shown} of {all} by spend.", { shown: maxRows, all: rows.length })}
              </Text>
            )}
          </>
        );
      }}
    </QueryResult>
  );
}

const sums = ["calls", "costNanos", "inputTokens", "outputTokens"] as const;

function totalsToRows(totals: readonly Total[], by: Dimension): readonly Row[] {
  return [...Map.groupBy(totals, (total) => total.by[by] ?? "")]
    .map(([value, its]): Row => {
      const sum = (name: string, rows = its) => rows.reduce((all, { sums: own }) => all + Number(own[name] ?? 0), 0);
      return {
        value,
        calls: sum("calls"),
        failed: sum(
          "calls",
          its.filter(({ by: { outcome } }) => outcome === "failed"),
        ),
        inputTokens: sum("inputTokens"),
        outputTokens: sum("outputTokens"),
        costNanos: sumNanos(its.map(({ sums: own }) => own["costNanos"] ?? "0")),
      };
    })
    .toSorted((one, other) => Number(other.costNanos) - Number(one.costNanos));
}

function useColumns(span: Span, by: Dimension): readonly Column<Row>[] {
  const firstByteOf = useFirstBytes(span, by);
  return [
    {
      heading: tagIn(by) ?? translateTerm(by),
      cell: ({ value }) => <DimensionValue span={span} by={by} value={value} />,
    },
    { heading: translate("Spend"), numeric: true, cell: ({ costNanos }) => shortUsd(costNanos) },
    { heading: translate("Calls"), numeric: true, cell: ({ calls }) => formatCount(calls) },
    { heading: translate("Input tokens"), numeric: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
    { heading: translate("Output tokens"), numeric: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
    { heading: translate("Failed"), numeric: true, cell: ({ failed, calls }) => formatShare(failed, calls) },
    {
      heading: translate("First byte p50 / p95"),
      numeric: true,
      cell: ({ value }) => (by === "account" ? <FirstByteOfAccount span={span} account={value} /> : firstByteOf(value)),
    },
  ];
}

/**
 * Reads the times to first byte of all values. Times by tag include all accounts, so members of an account do not get
 * them.
 */
function useFirstBytes(span: Span, by: Dimension): (value: string) => string {
  const { from, to } = periodOf(span);
  const session = useQuery({ queryKey: ["session"], queryFn: () => get("/session") });
  const times = useQuery({
    queryKey: ["first bytes", from, to, by],
    queryFn: ({ signal }) => get("/usage/first-bytes", { query: { from, to, by } }, signal),
    refetchInterval: refreshMs,
    enabled: by !== "account" && by !== "team" && !(isTagDimension(by) && session.data?.account !== null),
  });
  return (value) => {
    const found = times.data?.find((group) => group.by[by] === value);
    return found === undefined ? "–" : formatDurations(found.p50, found.p95);
  };
}

function DimensionValue({ span, by, value }: { readonly span: Span; readonly by: Dimension; readonly value: string }) {
  if (value === "") return translate("(none)");
  const tag = tagIn(by);
  return (
    <PageLink
      to="/calls"
      search={{ span, [tag === undefined ? by : "tag"]: tag === undefined ? value : `${tag}=${value}` }}
      style={{ whiteSpace: "nowrap" }}
    >
      {value}
    </PageLink>
  );
}
