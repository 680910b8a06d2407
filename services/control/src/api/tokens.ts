import {
  findBudgets,
  findTokenById,
  listTokens,
  newKey,
  makeToken,
  withLastUse,
  type Token,
  type KeyBudget,
} from "@modelgate/accounts";
import { readPublishedConfiguration } from "@modelgate/catalog";
import { Failure, withoutUndefined } from "@modelgate/contracts";
import type { Operator, OperatorCall, OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger, TokenChange } from "../ledger.ts";
import { checkManagesKey, checkTeam, memberName, seesKey } from "../organisations/access.ts";
import { requireAccount } from "./accounts.ts";
import { fields } from "./fields.ts";
import {
  findBoundingKey,
  exceedsSharedBudget,
  isSameBudget,
  boundingKeyCandidates,
  sharedBudget,
  type KeyLimits,
} from "./member-limits.ts";

/** Maximum API keys of an account, by the role of the creator. Keys of playgrounds are not limited. */
const maxKeys = { operator: 10_000, member: 200 };
/** Maximum days of a rotation period. Alerts are deleted after 400 days, so in a longer period one would be repeated. */
const maxRotationDays = 365;
const maxRequestsPerDay = 1_000_000_000;

/** Routes that create, show and change API keys. The limits of a member's key are within those of an operator's key. */
export function tokenRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  const change = async (
    call: OperatorCall,
    verb: "disable" | "enable" | "expire" | "set",
    requested: TokenChange,
  ): Promise<Token> => {
    const before = await requireManagedToken(redis, call);
    const act = { actor: call.actor, action: `token.${verb}` } as const;
    if (call.operator.account !== undefined)
      return ledger.changeToken(before.id, await checkMembersChange(redis, before, requested), act);
    // A change by an operator makes a member's key an operator's key, which still counts against the shared budget.
    const within = exceedsSharedBudget(before, requested.budget) ? { within: null } : {};
    const marked = before.ofMember === true ? { ...requested, ofMember: null, ...within } : requested;
    const token = await ledger.changeToken(before.id, marked, act);
    const shared = sharedBudget(token);
    for (const { id, within } of await listTokens(redis, before.accountId))
      if (within?.id === token.id && !isSameBudget(within, shared))
        await ledger.changeToken(id, { within: shared }, act);
    return token;
  };
  return {
    "GET /accounts/{id}/tokens": async ({ params, operator }) => {
      const all = await listTokens(redis, (await requireAccount(redis, params["id"] ?? "")).id);
      const tokens = all.filter((token) => seesKey(operator, token));
      return Promise.all(tokens.map((token) => withLastUse(redis, token)));
    },
    "POST /accounts/{id}/tokens": (call) => createToken(redis, ledger, call),
    "GET /tokens/{id}": async (call) => withLastUse(redis, await requireVisibleToken(redis, call)),
    "POST /tokens/{id}": async (call) => {
      const before = await requireChangeableToken(redis, call);
      const requested = changeOf(call.body, before);
      await checkNames(redis, { group: requested.group ?? before.group, models: requested.models ?? undefined });
      await checkNoBudget(redis, before, requested);
      return change(call, "set", requested);
    },
    "POST /tokens/{id}/disable": (call) => change(call, "disable", { disabled: true }),
    "POST /tokens/{id}/enable": (call) => change(call, "enable", { disabled: false }),
    "POST /tokens/{id}/expire": async (call) => {
      await requireChangeableToken(redis, call);
      return change(call, "expire", { expiresAt: fields.optionalTime(call.body, "at") ?? new Date().toISOString() });
    },
  };
}

async function createToken(
  redis: Redis,
  ledger: Ledger,
  { params, body, actor, operator }: OperatorCall,
): Promise<Token & { readonly key: string }> {
  const { id: accountId } = await requireAccount(redis, params["id"] ?? "");
  const isMember = operator.account !== undefined;
  const team = teamOfNewKey(operator, accountId, fields.optionalText(body, "team"));
  if (team !== undefined) await checkTeam(ledger, { team, account: accountId, param: "team" });
  const requested = {
    accountId,
    team,
    member: isMember ? memberName(team, operator) : undefined,
    group: fields.text(body, "group"),
    name: fields.optionalText(body, "name"),
    models: fields.optionalTexts(body, "models"),
    expiresAt: fields.optionalTime(body, "expiresAt"),
    allowedAddresses: fields.optionalAddresses(body, "allowedAddresses") ?? undefined,
    budget: budgetOf(body, undefined),
    rotateAfterDays: fields.optionalCount(body, "rotateAfterDays", maxRotationDays) ?? undefined,
  };
  await checkNames(redis, requested);
  const bound = isMember
    ? findBoundingKey(requested, boundingKeyCandidates(await listTokens(redis, accountId), requested))
    : undefined;
  const key = newKey();
  const { digest, token: made } = makeToken(key, requested);
  const { token } = await ledger.createToken(
    {
      digest,
      token: bound === undefined ? made : withoutUndefined({ ...made, ofMember: true, within: sharedBudget(bound) }),
      max: isMember ? maxKeys.member : maxKeys.operator,
    },
    actor,
  );
  return { ...token, key };
}

/**
 * Returns the record of the API key that the path names. Throws Failure (404) if there is none or the caller may not
 * access it.
 */
async function requireVisibleToken(redis: Redis, { params: { id = "" }, operator }: OperatorCall): Promise<Token> {
  const token = await findTokenById(redis, id);
  return token !== undefined && seesKey(operator, token) ? token : throwUnknownToken(id);
}

/** Returns the API key that a call changes. Throws Failure (403) if the caller may only see it. */
export async function requireManagedToken(redis: Redis, call: OperatorCall): Promise<Token> {
  const token = await requireVisibleToken(redis, call);
  checkManagesKey(call.operator, token);
  return token;
}

/**
 * Returns the API key whose limits or secret a call changes. Throws Failure (403) for a playground's key, which only
 * the playground renews.
 */
export async function requireChangeableToken(redis: Redis, call: OperatorCall): Promise<Token> {
  const token = await requireManagedToken(redis, call);
  if (token.playgroundOf === undefined) return token;
  throw new Failure(
    "permission_denied",
    "The playground renews this key and sets its limits: change the operator's key, or disable or delete this one.",
  );
}

/**
 * Returns the team of a new key: the named one, or the caller's only team with this account. Throws Failure (400) if it
 * is not allowed.
 */
function teamOfNewKey({ access, account }: Operator, accountId: string, named?: string): string | undefined {
  if (named !== undefined && account !== undefined && access === undefined)
    throw new Failure("invalid_value", "team must be absent: members of an account are in no team.", { param: "team" });
  if (access?.teams === undefined) return named;
  const ids = access.teams.filter(({ account }) => account === accountId).map(({ id }) => id);
  const team = named ?? (ids.length === 1 ? ids[0] : undefined);
  if (team !== undefined && ids.includes(team)) return team;
  throw new Failure("invalid_value", `team must be one of yours: ${ids.join(", ")}.`, { param: "team" });
}

/**
 * Returns the change that a member may make. A member's key must be bounded by an operator's key. An operator's key can
 * only be narrowed.
 */
async function checkMembersChange(redis: Redis, before: Token, requested: TokenChange): Promise<TokenChange> {
  const isEnabled = before.disabled && requested.disabled === false;
  if (before.ofMember !== true) {
    if (isEnabled)
      throw new Failure("invalid_value", "An operator disabled this key; only an operator can enable it.", {
        param: "disabled",
      });
    findBoundingKey(limitsAfter(before, requested), [before]);
    return requested;
  }
  const bounds = boundingKeyCandidates(await listTokens(redis, before.accountId), before);
  const bound = findBoundingKey(limitsAfter(before, requested), isEnabled ? bounds : [...bounds, before]);
  return bound === before ? requested : { ...requested, within: sharedBudget(bound) };
}

function limitsAfter(before: Token, change: TokenChange): KeyLimits {
  const { group, models, expiresAt, allowedAddresses, budget, rotateAfterDays } = change;
  return {
    group: group ?? before.group,
    models: models === undefined ? before.models : (models ?? undefined),
    expiresAt: expiresAt === undefined ? before.expiresAt : (expiresAt ?? undefined),
    allowedAddresses: allowedAddresses === undefined ? before.allowedAddresses : (allowedAddresses ?? undefined),
    budget: budget === undefined ? before.budget : (budget ?? undefined),
    rotateAfterDays: rotateAfterDays === undefined ? before.rotateAfterDays : (rotateAfterDays ?? undefined),
  };
}

/** Reads a change of an API key. Absent fields remain, null removes a field. */
function changeOf(body: unknown, before: Token): TokenChange {
  return withoutUndefined({
    name: isNull(body, "name") ? null : fields.optionalText(body, "name"),
    group: fields.optionalText(body, "group"),
    models: isNull(body, "models") ? null : fields.optionalTexts(body, "models"),
    expiresAt: isNull(body, "expiresAt") ? null : fields.optionalTime(body, "expiresAt"),
    allowedAddresses: fields.optionalAddresses(body, "allowedAddresses"),
    budget: budgetOf(body, before.budget) ?? null,
    rotateAfterDays: fields.optionalCount(body, "rotateAfterDays", maxRotationDays),
  });
}

/**
 * Throws Failure (409) if a change gives a key a budget, and the account has a budget of the same period for this key.
 */
async function checkNoBudget(
  redis: Redis,
  { id, accountId, budget: before }: Token,
  requested: TokenChange,
): Promise<void> {
  const added = budgetPeriods.filter(
    ({ member }) => before?.[member] === undefined && requested.budget?.[member] !== undefined,
  );
  if (added.length === 0) return;
  for (const { id: budget, scope, period } of await findBudgets(redis, accountId)) {
    const same = scope === `key:${id}` ? added.find((limit) => limit.period === period) : undefined;
    if (same !== undefined)
      throw new Failure("invalid_value", `The account's budget ${budget} already limits this key for each ${period}.`, {
        param: same.param,
        status: 409,
      });
  }
}

const budgetPeriods = [
  { period: "day", member: "perDay", param: "dollarsPerDay" },
  { period: "month", member: "perMonth", param: "dollarsPerMonth" },
] as const;

function isNull(body: unknown, name: string): boolean {
  return fields.value(body, name) === null;
}

/** Returns the budget after a change. Absent fields remain, null removes a field. */
function budgetOf(body: unknown, before: KeyBudget | undefined): KeyBudget | undefined {
  const after = <Value>(requested: Value | null | undefined, value: Value | undefined): Value | undefined =>
    requested === undefined ? value : (requested ?? undefined);
  const budget = withoutUndefined({
    perDay: after(fields.optionalBudget(body, "dollarsPerDay"), before?.perDay),
    perMonth: after(fields.optionalBudget(body, "dollarsPerMonth"), before?.perMonth),
    requestsPerDay: after(fields.optionalCount(body, "requestsPerDay", maxRequestsPerDay), before?.requestsPerDay),
  });
  return Object.keys(budget).length === 0 ? undefined : budget;
}

/** Throws Failure for an unknown group or model, because calls with it would fail. `param` is the field's name. */
export async function checkNames(
  redis: Redis,
  { group, models }: { readonly group?: string | undefined; readonly models?: readonly string[] | undefined },
  param?: string,
): Promise<void> {
  const published = await readPublishedConfiguration(redis);
  if (published === undefined) return;
  if (group !== undefined && !Object.hasOwn(published.groups, group))
    throw new Failure(
      "invalid_value",
      `There is no group ${JSON.stringify(group)}; there are ${Object.keys(published.groups).join(", ")}.`,
      { param: param ?? "group" },
    );
  const unknown = models?.find((model) => !Object.hasOwn(published.models, model));
  if (unknown !== undefined)
    throw new Failure("invalid_value", `There is no model ${JSON.stringify(unknown)}.`, { param: param ?? "models" });
}

function throwUnknownToken(id: string | undefined): never {
  throw new Failure("unknown_url", `There is no token ${JSON.stringify((id ?? "").slice(0, 100))}.`);
}
