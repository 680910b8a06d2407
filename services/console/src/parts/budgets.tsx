import { Card, Progress, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Group, Token } from "../api/types.ts";
import { exactUsd, sumNanos } from "../format/money.ts";
import { percentage } from "../format/numbers.ts";
import { DataTable } from "./data-table.tsx";
import { QueryResult } from "./states.tsx";
import { say } from "../texts/say.ts";

const nanosPerDollar = 1e9;

/** Budgets of an account's keys and groups per UTC day and month, with the amount spent. */
export function Budgets({ accountId }: { readonly accountId: string }) {
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get("/accounts/{id}/tokens", { params: { id: accountId } }),
  });
  const groups = useQuery({ queryKey: ["groups"], queryFn: () => get("/groups") });
  const spentOf = { day: useSpent(accountId, 10), month: useSpent(accountId, 7) };
  return (
    <Card withBorder>
      <Title order={3} size="h5" mb="sm">
        {say("Budgets")}
      </Title>
      <QueryResult query={tokens}>
        {(keys) => {
          const rows = budgetsOf(keys, groups.data ?? []);
          if (rows.length === 0)
            return (
              <Text size="sm" c="dimmed">
                {say("No budgets: only the balance limits spending. Keys and groups can have budgets.")}
              </Text>
            );
          const spent = ({ period, of }: BudgetRow): string => sumNanos(of.map((id) => spentOf[period](id)));
          return (
            <DataTable
              label={say("Budgets")}
              rows={rows}
              keyOf={({ name, period }) => `${name} ${period}`}
              columns={[
                { heading: say("Budget"), cell: ({ name }) => name },
                {
                  heading: say("Period"),
                  cell: ({ period }) => (period === "day" ? say("today (UTC)") : say("this month (UTC)")),
                },
                { heading: say("Spent"), numeric: true, cell: (row) => exactUsd(spent(row)) },
                { heading: say("Maximum"), numeric: true, cell: ({ maxNanos }) => exactUsd(maxNanos) },
                { heading: say("Used"), cell: (row) => <Used spent={spent(row)} most={row.maxNanos} /> },
              ]}
            />
          );
        }}
      </QueryResult>
    </Card>
  );
}

/** Budget, and the keys whose spending counts against it. */
interface BudgetRow {
  readonly name: string;
  readonly period: "day" | "month";
  readonly maxNanos: string;
  readonly of: readonly string[];
}

function budgetsOf(tokens: readonly Token[], groups: readonly Group[]): readonly BudgetRow[] {
  const ofKeys = tokens.flatMap(({ id, name, budget: { perDay, perMonth } = {} }) =>
    rowsOf(say("key {name}", { name: name ?? id }), [id], perDay, perMonth),
  );
  const ofGroups = groups.flatMap(({ name, limits: { dollarsPerDay, dollarsPerMonth } = {} }) => {
    const own = tokens.filter(({ group }) => group === name).map(({ id }) => id);
    if (own.length === 0) return [];
    return rowsOf(say("all keys of the group {name}", { name }), own, nanosOf(dollarsPerDay), nanosOf(dollarsPerMonth));
  });
  return [...ofKeys, ...ofGroups];
}

function rowsOf(
  name: string,
  of: readonly string[],
  perDay: string | undefined,
  perMonth: string | undefined,
): readonly BudgetRow[] {
  return [
    ...(perDay === undefined ? [] : [{ name, of, period: "day" as const, maxNanos: perDay }]),
    ...(perMonth === undefined ? [] : [{ name, of, period: "month" as const, maxNanos: perMonth }]),
  ];
}

function nanosOf(dollars: number | undefined): string | undefined {
  return dollars === undefined ? undefined : String(Math.round(dollars * nanosPerDollar));
}

/**
 * Reads the spending of each key of an account in the current day or month. `named` is the number of characters of the
 * date that name the period: 10 for the day, 7 for the month.
 */
function useSpent(account: string, named: 10 | 7): (token: string) => string {
  const to = new Date().toISOString().slice(0, 10);
  const from = `${to.slice(0, named)}-01`.slice(0, 10);
  const totals = useQuery({
    queryKey: ["totals", from, to, "token", account],
    queryFn: () => get("/usage", { query: { account, by: "token", from, to, sums: "costNanos" } }),
  });
  return (token) => totals.data?.find(({ by }) => by["token"] === token)?.sums["costNanos"] ?? "0";
}

function Used({ spent, most }: { readonly spent: string; readonly most: string }) {
  const share = percentage(Number(spent), Number(most));
  return (
    <Progress.Root size="xl" miw={120}>
      <Progress.Section
        value={Math.min(100, (Number(spent) / Number(most)) * 100)}
        color={BigInt(spent) >= BigInt(most) ? "red" : "teal"}
        aria-label={say("{share} used", { share })}
      />
    </Progress.Root>
  );
}
