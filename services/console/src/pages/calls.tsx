import { Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { get, addressOf } from "../api/client.ts";
import type { Call } from "../api/types.ts";
import { exactUsd, shortUsd } from "../format/money.ts";
import { formatCount, formatDuration } from "../format/numbers.ts";
import { localTime, periodOf } from "../format/times.ts";
import { OutcomeBadge } from "../parts/badges.tsx";
import { DataTable, type Column } from "../parts/data-table.tsx";
import { Page } from "../parts/page.tsx";
import { RefusedCalls } from "../parts/refused-calls.tsx";
import { TimeRangeInput } from "../parts/time-range-input.tsx";
import { Empty, QueryResult } from "../parts/states.tsx";
import type { CallFilters } from "../router.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { translate, translateTerm } from "../texts/translate.ts";

const route = getRouteApi("/frame/calls");
const pageRows = "100";
const liveMs = 2_000;
const rowHeight = 40;

/** Page of settled calls. The address contains its filters. */
export function CallsPage() {
  const filters = route.useSearch();
  const query = queryOf(filters);
  const pages = useInfiniteQuery({
    queryKey: ["calls", query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get("/usage/events", { query: { ...query, limit: pageRows, after: pageParam } }, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (filters.live === true && state.data?.pages.length === 1 ? liveMs : false),
  });
  const watchEnd = useNextPage(pages);
  return (
    <Page title={translate("Calls")} controls={<Exports query={query} />}>
      <Filters filters={filters} />
      <QueryResult query={pages}>
        {({ pages: loaded }) => {
          const calls = loaded.flatMap(({ events }) => events);
          if (calls.length === 0)
            return <Empty>{translate("No calls match. Choose a longer time range or clear a filter.")}</Empty>;
          return (
            <DataTable
              label={translate("Calls")}
              rows={calls}
              columns={columns}
              keyOf={({ id }) => id}
              rowHeight={rowHeight}
            />
          );
        }}
      </QueryResult>
      {pages.hasNextPage && (
        <Button
          ref={watchEnd}
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {translate("Show older calls")}
        </Button>
      )}
      {mayBeRefused(filters) && <RefusedCalls query={query} />}
    </Page>
  );
}

function Exports({ query }: { readonly query: ReturnType<typeof queryOf> }) {
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={addressOf("/usage/export", { query: { ...query, format: "csv" } })}
        variant="default"
        size="xs"
      >
        {translate("Export as CSV")}
      </Button>
      <Button
        component="a"
        href={addressOf("/usage/export", { query: { ...query, format: "focus" } })}
        variant="default"
        size="xs"
      >
        {translate("Export as FOCUS 1.2")}
      </Button>
    </Group>
  );
}

/** Returns whether refused calls can match the filters. They have no channel, tag or end user. */
function mayBeRefused({ channel, tag, endUser, outcome }: CallFilters): boolean {
  return (
    [channel, tag, endUser].every((value) => value === undefined) && (outcome === undefined || outcome === "failed")
  );
}

/** Loads the next page when the end of the rows is near. */
function useNextPage({
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
}: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">) {
  return (button: HTMLElement | null): (() => void) => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true && window.scrollY > 0 && hasNextPage && !isFetchingNextPage)
          void fetchNextPage();
      },
      { rootMargin: "800px" },
    );
    if (button !== null) observer.observe(button);
    return () => observer.disconnect();
  };
}

function queryOf(filters: CallFilters) {
  const { account, team, token, model, channel, tag, outcome, status } = filters;
  const { from, to } = periodOf(filters.span);
  const named = { "end-user": filters.endUser, "request-id": filters.request };
  return { from, to, account, team, token, model, channel, tag, outcome, status, ...named };
}

function Filters({ filters }: { readonly filters: CallFilters }) {
  const navigate = route.useNavigate();
  const changeFilters = (changed: Partial<CallFilters>): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Stack gap="xs">
      <Group gap="lg">
        <TimeRangeInput span={filters.span} onChoose={(span) => changeFilters({ span })} />
        <Switch
          label={translate("Live")}
          checked={filters.live === true}
          onChange={({ currentTarget }) => changeFilters({ live: currentTarget.checked ? true : undefined })}
        />
      </Group>
      <Group align="end" gap={8}>
        <Filter name="account" filters={filters} changeFilters={changeFilters} />
        <Filter name="team" filters={filters} changeFilters={changeFilters} />
        <Filter name="token" filters={filters} changeFilters={changeFilters} />
        <Filter name="model" filters={filters} changeFilters={changeFilters} />
        <Filter name="channel" filters={filters} changeFilters={changeFilters} />
        <Filter name="tag" filters={filters} changeFilters={changeFilters} />
        <Filter name="endUser" filters={filters} changeFilters={changeFilters} />
        <Filter name="status" filters={filters} changeFilters={changeFilters} />
        <Filter name="request" filters={filters} changeFilters={changeFilters} />
        <Select
          label={translate("outcome")}
          tt="capitalize"
          size="xs"
          w={106}
          clearable
          data={["completed", "cancelled", "failed"].map((value) => ({ value, label: translateTerm(value) }))}
          value={filters.outcome ?? null}
          onChange={(outcome) => changeFilters({ outcome: outcome ?? undefined })}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {translate("Press Enter to apply a filter.")}
      </Text>
    </Stack>
  );
}

const placeholders: Readonly<Record<string, string>> = { token: "tok_…", tag: "team=search", status: "502" };

/** Filter input. Its value applies on blur or Enter, not while typing. */
function Filter({
  name,
  filters,
  changeFilters,
}: {
  readonly name: "account" | "team" | "token" | "model" | "channel" | "tag" | "endUser" | "status" | "request";
  readonly filters: CallFilters;
  readonly changeFilters: (changed: Partial<CallFilters>) => void;
}) {
  const current = filters[name] ?? "";
  const [draft, setDraft] = useState<{ readonly from: string; readonly text: string }>({
    from: current,
    text: current,
  });
  // A link to another filter replaces the typed text.
  const text = draft.from === current ? draft.text : current;
  const apply = (): void => {
    if (text !== current) changeFilters({ [name]: text === "" ? undefined : text });
  };
  return (
    <TextInput
      label={translateTerm(name)}
      styles={{ label: { textTransform: "capitalize" } }}
      placeholder={placeholders[name]}
      size="xs"
      w={106}
      value={text}
      onChange={({ currentTarget }) => setDraft({ from: current, text: currentTarget.value })}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === "Enter") apply();
      }}
    />
  );
}

function TextLine({ text }: { readonly text: string }) {
  return (
    <Text size="sm" truncate maw={150} title={text}>
      {text}
    </Text>
  );
}

const columns: readonly Column<Call>[] = [
  {
    heading: translate("Time"),
    cell: ({ time, requestId }) => (
      <PageLink to="/calls/$requestId" params={{ requestId }} style={{ whiteSpace: "nowrap" }}>
        {localTime(time)}
      </PageLink>
    ),
  },
  { heading: translate("Outcome"), cell: (call) => <OutcomeBadge {...call} /> },
  {
    heading: translate("Cost"),
    numeric: true,
    cell: ({ costNanos }) => <span title={exactUsd(costNanos)}>{shortUsd(costNanos)}</span>,
  },
  { heading: translate("Account"), cell: ({ accountId }) => <TextLine text={accountId} /> },
  { heading: translate("Model"), cell: ({ model }) => <TextLine text={model} /> },
  { heading: translate("Channel"), cell: ({ channelId }) => <TextLine text={channelId} /> },
  { heading: translate("Input"), numeric: true, cell: ({ units }) => formatCount(units["inputTokens"]) },
  { heading: translate("Output"), numeric: true, cell: ({ units }) => formatCount(units["outputTokens"]) },
  { heading: translate("First byte"), numeric: true, cell: ({ firstByteMs }) => formatDuration(firstByteMs) },
  { heading: translate("Total"), numeric: true, cell: ({ latencyMs }) => formatDuration(latencyMs) },
];
