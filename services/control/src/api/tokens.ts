import { findTokenById, listTokens, newKey, tokenOf, type TokenBudget } from "@modelgate/accounts";
import { publishedKey, readPublished } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger, TokenChange } from "../ledger.ts";
import { accountOf } from "./accounts.ts";
import { fields } from "./fields.ts";

/** What a change of a token is called with. */
interface TokenCall {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly actor: string;
}

/** Tokens of accounts: made, shown, changed. What changes them is written to the books first, by the ledger. */
export function tokenRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  const change =
    (verb: string, wish: (body: unknown) => TokenChange) =>
    ({ params, body, actor }: TokenCall) =>
      ledger.changeToken(params["id"] ?? "", wish(body), { actor, action: `token.${verb}` });
  return {
    "GET /accounts/{id}/tokens": async ({ params }) =>
      listTokens(redis, (await accountOf(redis, params["id"] ?? "")).id),
    "POST /accounts/{id}/tokens": async ({ params, body, actor }) => {
      const { id: accountId } = await accountOf(redis, params["id"] ?? "");
      const group = fields.text(body, "group");
      const models = fields.optionalTexts(body, "models");
      await checkNames(redis, group, models);
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
    "GET /tokens/{id}": async ({ params }) => (await findTokenById(redis, params["id"] ?? "")) ?? absent(params["id"]),
    "POST /tokens/{id}": async ({ params, body, actor }) => {
      const before = (await findTokenById(redis, params["id"] ?? "")) ?? absent(params["id"]);
      const budget = budgetOf(body, before.budget) ?? null;
      return ledger.changeToken(before.id, { budget }, { actor, action: "token.set" });
    },
    "POST /tokens/{id}/disable": change("disable", () => ({ disabled: true })),
    "POST /tokens/{id}/enable": change("enable", () => ({ disabled: false })),
    "POST /tokens/{id}/expire": change("expire", (body) => ({
      expiresAt: fields.optionalTime(body, "at") ?? new Date().toISOString(),
    })),
  };
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
  const text = await redis.get(publishedKey);
  if (text === null) return;
  const published = readPublished(text);
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
