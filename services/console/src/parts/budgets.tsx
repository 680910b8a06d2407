import { Card, Group, Progress, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client.ts";
import type { Budget, Token } from "../api/types.ts";
import { exactUsd, sumNanos } from "../format/money.ts";
import { formatShare } from "../format/numbers.ts";
import { localTime } from "../format/times.ts";
import { CreateBudget, DeleteBudget, EditBudget } from "./budget-form.tsx";
import { DataTable, type Column } from "./data-table.tsx";
import { QueryResult } from "./states.tsx";
import { usePermission } from "./use-may.ts";
import { translate, type TextKey } from "../texts/translate.ts";

interface BudgetsProps {
  readonly accountId: string;
  /** Team whose budgets are shown; by default all of the account. */
  readonly team?: { readonly id: string; readonly mayChange: boolean };
  readonly organisation?: string;
}

/** Budgets of an account, a team or an organisation, with their use. */
export function Budgets({ accountId, team, organisation }: BudgetsProps) {
  const isOperator = usePermission("operator");
  const mayChange = team?.mayChange ?? isOperator;
  const scope = scopeOf(team?.id, organisation);
  const budgets = useQuery({
    queryKey: ["budgets", accountId],
    queryFn: () => get("/accounts/{id}/budgets", { params: { id: accountId } }),
    select: (all) =>
      scope === undefined
        ? all
        : all.filter(
            (each) => each.scope === scope || (team !== undefined && each.scope.startsWith(`member:${team.id}/`)),
          ),
  });
  const tokens = useQuery({
    queryKey: ["tokens", accountId],
    queryFn: () => get("/accounts/{id}/tokens", { params: { id: accountId } }),
  });
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={3} size="h5">
          {translate(organisation === undefined ? "Budgets" : "Budgets of the organisation")}
        </Title>
        {mayChange && <CreateBudget accountId={accountId} scope={scope ?? "account"} />}
      </Group>
      <QueryResult query={budgets}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {translate("No budgets: only the balance limits spending. Keys and groups can have budgets.")}
            </Text>
          ) : (
            <DataTable
              label={translate("Budgets")}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { heading: translate("Budget"), cell: (budget) => nameOf(budget, tokens.data ?? []) },
                {
                  heading: translate("Period"),
                  cell: ({ period, zone = "UTC" }) => translate(periods[period], { zone }),
                },
                { heading: translate("Spent"), numeric: true, cell: ({ usedNanos }) => exactUsd(usedNanos) },
                { heading: translate("Maximum"), numeric: true, cell: (budget) => exactUsd(maximumOf(budget)) },
                {
                  heading: translate("Used"),
                  cell: (budget) => <UsedShare spent={budget.usedNanos} max={maximumOf(budget)} />,
                },
                { heading: translate("Resets"), cell: ({ resetsAt }) => localTime(resetsAt ?? undefined) },
                ...(mayChange ? [actionsOf(accountId)] : []),
              ]}
            />
          )
        }
      </QueryResult>
    </Card>
  );
}

/** Returns the column with buttons. Budgets of a key or a group have none. */
function actionsOf(accountId: string): Column<Budget> {
  return {
    heading: translate("Action"),
    cell: (budget) =>
      budget.setWith === undefined && (
        <Group gap="xs" wrap="nowrap">
          <EditBudget accountId={accountId} budget={budget} />
          <DeleteBudget accountId={accountId} budget={budget} />
        </Group>
      ),
  };
}

function scopeOf(team: string | undefined, organisation: string | undefined): string | undefined {
  if (organisation !== undefined) return `organisation:${organisation}`;
  return team === undefined ? undefined : `team:${team}`;
}

const periods: Readonly<Record<Budget["period"], TextKey>> = {
  day: "today ({zone})",
  week: "this week ({zone})",
  month: "this month ({zone})",
  quarter: "this quarter ({zone})",
  total: "in total",
};

function nameOf({ name, scope, mode }: Budget, tokens: readonly Token[]): string {
  const [kind = "", ...rest] = scope.split(":");
  const value = rest.join(":");
  const key = tokens.find(({ id }) => id === value)?.name ?? value;
  const scopes: Readonly<Record<string, string>> = {
    account: translate("all calls"),
    organisation: translate("all calls of the organisation"),
    team: translate("team {name}", { name: value }),
    member: translate("member {name}", { name: value }),
    key: translate("key {name}", { name: key }),
    group: translate("all keys of the group {name}", { name: value }),
  };
  const shown = name ?? scopes[kind] ?? scope;
  return mode === "soft" ? translate("{name} (soft)", { name: shown }) : shown;
}

function maximumOf({ nanos, carriedNanos }: Budget): string {
  return sumNanos([nanos, carriedNanos]);
}

function UsedShare({ spent, max }: { readonly spent: string; readonly max: string }) {
  const share = formatShare(Number(spent), Number(max));
  return (
    <Progress.Root size="xl" miw={120}>
      <Progress.Section
        value={max === "0" ? 100 : Math.min(100, (Number(spent) / Number(max)) * 100)}
        color={BigInt(spent) >= BigInt(max) ? "red" : "teal"}
        aria-label={translate("{share} used", { share })}
      />
    </Progress.Root>
  );
}
