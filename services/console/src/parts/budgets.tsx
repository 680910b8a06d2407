import { Card, Group, Progress, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Budget, Token } from "../api/types.ts";
import { exactUsd, sumNanos } from "../format/money.ts";
import { percentage } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { CreateBudget, DeleteBudget } from "./budget-form.tsx";
import { DataTable, type Column } from "./data-table.tsx";
import { QueryResult } from "./states.tsx";
import { usePermission } from "./use-may.ts";
import { say, type TextKey as Phrase } from "../texts/say.ts";

interface BudgetsProps {
  readonly accountId: string;
  /** Team whose budgets are shown; absent: all budgets of the account. */
  readonly team?: { readonly id: string; readonly mayChange: boolean };
}

/** Budgets of an account, of its keys and of their groups, with the amount spent and buttons to create and delete them. */
export function Budgets({ accountId, team }: BudgetsProps) {
  const isOperator = usePermission("operator");
  const mayChange = team?.mayChange ?? isOperator;
  const budgets = useQuery({
    queryKey: ["budgets", accountId],
    queryFn: () => get("/accounts/{id}/budgets", { params: { id: accountId } }),
    select: (all) =>
      team === undefined
        ? all
        : all.filter(({ scope }) => scope === `team:${team.id}` || scope.startsWith(`member:${team.id}/`)),
  });
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get("/accounts/{id}/tokens", { params: { id: accountId } }),
  });
  const actions: Column<Budget> = {
    heading: say("Action"),
    cell: (budget) => budget.setWith === undefined && <DeleteBudget accountId={accountId} budget={budget} />,
  };
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {say("Budgets")}
        </Title>
        {mayChange && <CreateBudget accountId={accountId} scope={team === undefined ? "account" : `team:${team.id}`} />}
      </Group>
      <QueryResult query={budgets}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {say("No budgets: only the balance limits spending. Keys and groups can have budgets.")}
            </Text>
          ) : (
            <DataTable
              label={say("Budgets")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: say("Budget"), cell: (budget) => nameOf(budget, tokens.data ?? []) },
                { heading: say("Period"), cell: ({ period, zone = "UTC" }) => say(periods[period], { zone }) },
                { heading: say("Spent"), numeric: true, cell: ({ usedNanos }) => exactUsd(usedNanos) },
                { heading: say("Maximum"), numeric: true, cell: (budget) => exactUsd(maximumOf(budget)) },
                { heading: say("Used"), cell: (budget) => <Used spent={budget.usedNanos} most={maximumOf(budget)} /> },
                { heading: say("Resets"), cell: ({ resetsAt }) => localTime(resetsAt ?? undefined) },
                ...(mayChange ? [actions] : []),
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

const periods: Readonly<Record<Budget["period"], Phrase>> = {
  day: "today ({zone})",
  week: "this week ({zone})",
  month: "this month ({zone})",
  quarter: "this quarter ({zone})",
  total: "in total",
};

/** Returns the name of a budget, or a description of its scope. A soft budget is marked. */
function nameOf({ name, scope, mode }: Budget, tokens: readonly Token[]): string {
  const [kind = "", ...rest] = scope.split(":");
  const value = rest.join(":");
  const key = tokens.find(({ id }) => id === value)?.name ?? value;
  const scopes: Readonly<Record<string, string>> = {
    account: say("all calls"),
    team: say("team {name}", { name: value }),
    member: say("member {name}", { name: value }),
    key: say("key {name}", { name: key }),
    group: say("all keys of the group {name}", { name: value }),
  };
  const shown = name ?? scopes[kind] ?? scope;
  return mode === "soft" ? say("{name} (soft)", { name: shown }) : shown;
}

/** Returns the amount that can be spent in the current period. */
function maximumOf({ nanos, carriedNanos }: Budget): string {
  return sumNanos([nanos, carriedNanos]);
}

function Used({ spent, most }: { readonly spent: string; readonly most: string }) {
  const share = percentage(Number(spent), Number(most));
  return (
    <Progress.Root size="xl" miw={120}>
      <Progress.Section
        value={most === "0" ? 100 : Math.min(100, (Number(spent) / Number(most)) * 100)}
        color={BigInt(spent) >= BigInt(most) ? "red" : "teal"}
        aria-label={say("{share} used", { share })}
      />
    </Progress.Root>
  );
}
