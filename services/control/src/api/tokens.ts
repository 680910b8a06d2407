import { findTokenById, listTokens, newKey, tokenOf, type Token, type TokenBudget } from "@modelgate/accounts";
import { readPublishedNow } from "./published.ts";
import { Failure, present } from "@modelgate/contracts";
import type { OperatorCall, OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger, TokenChange } from "../ledger.ts";
import { accountOf } from "./accounts.ts";
import { fields } from "./fields.ts";

/** Tokens of accounts: made, shown, changed. What changes them is written to the books first, by the ledger. */
export function tokenRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  const change = (verb: string, wish: (body: unknown) => TokenChange) => async (call: OperatorCall) => {
    const { id } = await tokenFor(redis, call);
    return ledger.changeToken(id, wish(call.body), { actor: call.actor, action: `token.${verb}` });
  };
  return {
    "GET /accounts/{id}/tokens": async ({ params }) =>
      listTokens(redis, (await accountOf(redis, params["id"] ?? "")).id),
    "POST /accounts/{id}/tokens": async ({ params, body, actor, operator }) => {
      const { id: accountId } = await accountOf(redis, params["id"] ?? "");
      const group = fields.text(body, "group");
      const models = fields.optionalTexts(body, "models");
      await checkNames(redis, group, models);
      if (operator.account !== undefined) await checkMembersGroup(redis, operator.account, group);
      const key = newKey();
      const wish = {
        accountId,
        group,
        name: fields.optionalText(body, "name"),
        models,
        expiresAt: fields.optionalTime(body, "expiresAt"),
        budget: budgetOf(body, undefined),
      };
      const { token } = await ledger.createToken(tokenOf(key, wish), actor);
      return { ...token, key };
    },
    "GET /tokens/{id}": (call) => tokenFor(redis, call),
    "POST /tokens/{id}": async (call) => {
      const { body, actor, operator } = call;
      const before = await tokenFor(redis, call);
      const wish = changeOf(body, before);
      const group = wish.group ?? before.group;
      await checkNames(redis, group, wish.models ?? undefined);
      if (operator.account !== undefined && group !== before.group)
        await checkMembersGroup(redis, operator.account, group);
      return ledger.changeToken(before.id, wish, { actor, action: "token.set" });
    },
    "POST /tokens/{id}/disable": change("disable", () => ({ disabled: true })),
    "POST /tokens/{id}/enable": change("enable", () => ({ disabled: false })),
    "POST /tokens/{id}/expire": change("expire", (body) => ({
      expiresAt: fields.optionalTime(body, "at") ?? new Date().toISOString(),
    })),
  };
}

/** The token that a call names. Throws Failure (404), also for a token of an account that its caller is no member of. */
async function tokenFor(redis: Redis, { params: { id = "" }, operator: { account } }: OperatorCall): Promise<Token> {
  const token = await findTokenById(redis, id);
  if (token === undefined || (account !== undefined && token.accountId !== account)) return absent(id);
  return token;
}

/** A member makes keys of the groups whose keys the account has from its operators: others have prices and limits of their own. */
async function checkMembersGroup(redis: Redis, accountId: string, group: string): Promise<void> {
  const groups = new Set((await listTokens(redis, accountId)).map((token) => token.group));
  if (groups.has(group)) return;
  const say = groups.size === 0 ? "none yet" : [...groups].join(", ");
  throw new Failure("invalid_value", `The account has no key of the group ${JSON.stringify(group)}; it has ${say}.`, {
    param: "group",
  });
}

/** What a body changes of a token: what it does not name stays, what it names as null is taken away. */
function changeOf(body: unknown, before: Token): TokenChange {
  return present({
    name: fields.optionalText(body, "name"),
    group: fields.optionalText(body, "group"),
    models: isNull(body, "models") ? null : fields.optionalTexts(body, "models"),
    expiresAt: isNull(body, "expiresAt") ? null : fields.optionalTime(body, "expiresAt"),
    budget: budgetOf(body, before.budget) ?? null,
  });
}

function isNull(body: unknown, name: string): boolean {
  return fields.value(body, name) === null;
}

/** The budget that a body asks for: what it does not name stays, what it names as null is taken away. */
function budgetOf(body: unknown, before: TokenBudget | undefined): TokenBudget | undefined {
  const [perDay, perMonth] = [
    fields.optionalBudget(body, "dollarsPerDay"),
    fields.optionalBudget(body, "dollarsPerMonth"),
  ];
  const budget = {
    perDay: perDay === undefined ? before?.perDay : (perDay ?? undefined),
    perMonth: perMonth === undefined ? before?.perMonth : (perMonth ?? undefined),
  };
  return budget.perDay === undefined && budget.perMonth === undefined ? undefined : budget;
}

/** A token of a group or a model that is not in the catalogue would only ever fail. */
async function checkNames(redis: Redis, group: string, models: readonly string[] | undefined): Promise<void> {
  const published = await readPublishedNow(redis);
  if (published === undefined) return;
  if (!Object.hasOwn(published.groups, group))
    throw new Failure(
      "invalid_value",
      `There is no group ${JSON.stringify(group)}; there are ${Object.keys(published.groups).join(", ")}.`,
      { param: "group" },
    );
  const unknown = models?.find((model) => !Object.hasOwn(published.models, model));
  if (unknown !== undefined)
    throw new Failure("invalid_value", `There is no model ${JSON.stringify(unknown)}.`, { param: "models" });
}

function absent(id: string | undefined): never {
  throw new Failure("unknown_url", `There is no token ${JSON.stringify((id ?? "").slice(0, 100))}.`);
}
