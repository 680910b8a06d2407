import { randomBytes } from "node:crypto";
import {
  appliedBudget,
  budgetsOfCaller,
  callerLimits,
  findBudgets,
  findTokenById,
  remainingOf,
  listTokens,
  periodNames,
  readBudgetUsage,
  zoneNamed,
  type Budget,
  type BudgetUsage,
  type PeriodName,
  type Token,
} from "@modelgate/accounts";
import { readPublishedConfiguration } from "@modelgate/catalog";
import { endUserOf, Failure, organisationOfScope, parseTags, withoutUndefined } from "@modelgate/contracts";
import type { Operator, OperatorCall, OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { administersTeam, checkTeam, findOrganisation, seesKey, seesTeam } from "../organisations/access.ts";
import { requireAccount } from "./accounts.ts";
import { fields, invalidField } from "./fields.ts";
import { checkNames } from "./tokens.ts";

/** Routes of the budgets of an account. */
export function budgetRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  const viewOf = async (accountId: string, budget: Budget) => {
    const [usage] = await readBudgetUsage(redis, accountId, [appliedBudget(budget, Date.now())]);
    return usage && budgetView(usage);
  };
  return {
    "GET /accounts/{id}/budgets": async ({ params: { id = "" }, operator }) => {
      await requireAccount(redis, id);
      const tokens = await listTokens(redis, id);
      const all = [...(await findBudgets(redis, id)), ...(await budgetsOfKeys(redis, tokens))];
      const keys = new Set(tokens.filter((token) => seesKey(operator, token)).map((token) => `key:${token.id}`));
      const budgets = all.filter(({ scope }) => seesBudget(operator, scope, keys));
      const usage = await readBudgetUsage(
        redis,
        id,
        budgets.map((budget) => appliedBudget(budget, Date.now())),
      );
      return usage.map(budgetView);
    },
    "POST /accounts/{id}/budgets": async ({ params: { id = "" }, body, actor, operator }) => {
      await requireAccount(redis, id);
      const period = fields.optionalWord(body, "period", periodNames) ?? fields.missing("period");
      const written = fields.text(body, "scope");
      checkManagesBudget(operator, written);
      const scope = await parseScope({ redis, ledger, accountId: id, period }, written);
      const budget: Budget = withoutUndefined({
        id: `bud_${randomBytes(9).toString("base64url")}`,
        name: fields.optionalText(body, "name"),
        scope,
        period,
        zone: zoneOf(body, period),
        nanos: fields.optionalBudget(body, "amount") ?? fields.missing("amount"),
        mode: fields.optionalWord(body, "mode", ["hard", "soft"]) ?? "hard",
        rolloverNanos: rolloverOf(body, period) ?? undefined,
        createdAt: new Date().toISOString(),
      });
      return viewOf(id, await ledger.write<Budget>(`/accounts/${encodeURIComponent(id)}/budgets`, { budget }, actor));
    },
    "POST /accounts/{id}/budgets/{budget}": async (call) => {
      const { params, body, actor } = call;
      const { period } = await budgetOf(redis, call);
      for (const name of ["scope", "period", "zone"])
        if (fields.value(body, name) !== undefined)
          throw invalidField(name, "cannot be changed: create another budget, and delete this one");
      const change = withoutUndefined({
        name: fields.value(body, "name") === null ? null : fields.optionalText(body, "name"),
        nanos: fields.optionalBudget(body, "amount") ?? undefined,
        mode: fields.optionalWord(body, "mode", ["hard", "soft"]),
        rolloverNanos: rolloverOf(body, period),
      });
      return viewOf(params["id"] ?? "", await ledger.write<Budget>(pathOf(params), { change }, actor));
    },
    "POST /accounts/{id}/budgets/{budget}/delete": async (call) => {
      await budgetOf(redis, call);
      return ledger.write(`${pathOf(call.params)}/delete`, {}, call.actor);
    },
  };
}

function pathOf({ id = "", budget = "" }: OperatorCall["params"]): string {
  return `/accounts/${encodeURIComponent(id)}/budgets/${encodeURIComponent(budget)}`;
}

/** Returns the budget that a call changes. Throws Failure if it does not exist, or the caller may not change it. */
async function budgetOf(redis: Redis, { params: { id = "", budget = "" }, operator }: OperatorCall): Promise<Budget> {
  await requireAccount(redis, id);
  const found = (await findBudgets(redis, id)).find((each) => each.id === budget);
  checkManagesBudget(operator, found?.scope ?? "");
  if (found !== undefined) return found;
  const hint = budget.includes(":") ? " This budget belongs to a key or a group: change it there." : "";
  throw new Failure("unknown_url", `There is no budget ${JSON.stringify(budget.slice(0, 100))}.${hint}`);
}

async function budgetsOfKeys(redis: Redis, tokens: readonly Token[]): Promise<readonly Budget[]> {
  const groups = (await readPublishedConfiguration(redis))?.groups ?? {};
  const all = tokens.flatMap((token) => {
    // `within` is left out: the bounding key is also one of the tokens, and its budgets would be added twice.
    const { budgets } = callerLimits({ ...token, within: undefined }, groups[token.group]?.limits ?? {});
    return budgetsOfCaller(budgets, { tokenId: token.id, group: token.group });
  });
  const { key = [], group = [] } = Object.groupBy(all, ({ scope }) => (scope.startsWith("key:") ? "key" : "group"));
  return [...key, ...new Map(group.map((budget) => [budget.id, budget])).values()];
}

function budgetView(usage: BudgetUsage) {
  const { budget, period, usedNanos, carriedNanos } = usage;
  const { createdAt, ...shown } = budget;
  return {
    ...shown,
    ...(createdAt === "" ? { setWith: budget.scope.slice(0, budget.scope.indexOf(":")) } : { createdAt }),
    usedNanos: usedNanos.toString(),
    carriedNanos: carriedNanos.toString(),
    remainingNanos: remainingOf(usage).toString(),
    resetsAt: Number.isFinite(period.endMs) ? new Date(period.endMs).toISOString() : null,
  };
}

/** Returns the team of a scope `team:ID` or `member:TEAM/NAME`. */
function teamOfScope(scope: string): string | undefined {
  return /^(?:team:|member:(?=[^/]*\/))([^/]*)/.exec(scope)?.[1];
}

/**
 * Returns whether a caller may see a budget. People of teams see only those of their teams and keys. Only operators and
 * admins of an organisation see the organisation's budgets.
 */
function seesBudget(operator: Operator, scope: string, keys: ReadonlySet<string>): boolean {
  const { account, access } = operator;
  if (organisationOfScope(scope) !== undefined)
    return account === undefined || (access !== undefined && access.teams === undefined);
  if (operator.access?.teams === undefined || keys.has(scope)) return true;
  const team = teamOfScope(scope);
  return team !== undefined && seesTeam(operator, team);
}

/**
 * Throws Failure (403) unless a caller may change a budget. Operators may change all budgets, admins of an organisation
 * those of its teams and members, and admins of a team those of its members.
 */
function checkManagesBudget(operator: Operator, scope: string): void {
  const { account, access } = operator;
  if (account === undefined) return;
  const team = teamOfScope(scope);
  const isMembers = scope.startsWith("member:");
  if (access !== undefined && team !== undefined && (access.teams === undefined || isMembers))
    if (administersTeam(operator, team)) return;
  throw new Failure("permission_denied", "Only operators, and admins of the scope's team, may change this budget.");
}

/**
 * Returns a scope in the form in which it is compared with calls. Throws Failure if it cannot match any call (400), or
 * if its key already has a budget of this period (409).
 */
async function parseScope(context: ScopeContext, scope: string): Promise<string> {
  const colon = scope.indexOf(":");
  const [kind, text] = colon < 0 ? [scope, ""] : [scope.slice(0, colon), scope.slice(colon + 1)];
  const parse = Object.hasOwn(valueParsers, kind) ? valueParsers[kind] : undefined;
  if (parse === undefined || (text === "") !== (kind === "account"))
    throw invalidField(
      "scope",
      "must be account, organisation:ID, team:ID, member:TEAM/NAME, key:ID, group:NAME, model:NAME, tag:NAME=VALUE or end-user:ID",
    );
  const value = await parse(text, context);
  return kind === "account" ? kind : `${kind}:${value}`;
}

interface ScopeContext {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly accountId: string;
  readonly period: PeriodName;
}

/** Functions that check the value of a scope and return the value that is compared with calls, by kind of scope. */
const valueParsers: Readonly<Record<string, (value: string, context: ScopeContext) => Promise<string>>> = {
  account: async () => "",
  organisation: async (value, { ledger, accountId }) => {
    if ((await findOrganisation(ledger, { account: accountId }))?.id === value) return value;
    throw invalidField("scope", "must name the organisation to which the account belongs");
  },
  team: async (value, { ledger, accountId }) => {
    await checkTeam(ledger, { team: value, account: accountId, param: "scope" });
    return value;
  },
  member: async (value, { ledger, accountId }) => {
    const [team = "", ...name] = value.split("/");
    if (name.length === 0) return value; // a member of the account
    const { memberships } = await checkTeam(ledger, { team, account: accountId, param: "scope" });
    if (memberships.some((each) => each.team === team && each.person === name.join("/"))) return value;
    throw invalidField("scope", "must name a member of the team");
  },
  key: async (value, { redis, accountId, period }) => {
    const token = await findTokenById(redis, value);
    if (token?.accountId !== accountId) throw invalidField("scope", "must name a key of the account");
    const keyBudgets = {
      day: token.budget?.perDay,
      month: token.budget?.perMonth,
      week: undefined,
      quarter: undefined,
    };
    if (period !== "total" && keyBudgets[period] !== undefined)
      throw new Failure("invalid_value", `The key already has a budget for each ${period}: change it with the key.`, {
        param: "scope",
        status: 409,
      });
    return value;
  },
  group: async (value, { redis }) => {
    await checkNames(redis, { group: value }, "scope");
    return value;
  },
  model: async (value, { redis }) => {
    await checkNames(redis, { models: [value] }, "scope");
    const model = (await readPublishedConfiguration(redis))?.models[value];
    if (model?.shares !== undefined)
      throw invalidField(
        "scope",
        "must name a model that serves calls: the calls of this one are split between other models",
      );
    return value;
  },
  tag: async (value) => {
    try {
      const [tag, ...others] = Object.entries(parseTags(value));
      if (tag !== undefined && others.length === 0) return tag.join("=");
    } catch {
      // Replaced by the error below, because the message of `parseTags` is about a header.
    }
    throw invalidField("scope", "must name one tag and its value, as in tag:team=search");
  },
  "end-user": async (value) => {
    if (endUserOf(value) !== value) throw invalidField("scope", "must name an end user as usage shows it");
    return value;
  },
};

/** Reads the time zone of a period. Only `total` needs none. */
function zoneOf(body: unknown, period: PeriodName): string | undefined {
  const written = fields.optionalText(body, "zone");
  if (period === "total") {
    if (written === undefined) return undefined;
    throw invalidField("zone", "must be absent: a total budget has no period");
  }
  if (written === undefined)
    throw new Failure(
      "missing_required_parameter",
      `zone is missing: a ${period} begins at midnight of a time zone, such as UTC or Europe/Berlin.`,
      { param: "zone" },
    );
  const zone = zoneNamed(written);
  if (zone === undefined) throw invalidField("zone", "must be the name of a time zone, such as UTC or Europe/Berlin");
  return zone;
}

/** Reads the maximum that rolls over to the next period. Null removes it. */
function rolloverOf(body: unknown, period: PeriodName): string | null | undefined {
  const cap = fields.optionalBudget(body, "rolloverCap");
  if (period === "total" && typeof cap === "string")
    throw invalidField("rolloverCap", "must be absent: a total budget has no next period");
  return cap;
}
