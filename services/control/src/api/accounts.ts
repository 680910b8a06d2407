import { randomUUID } from "node:crypto";
import { makeCreditEvent, findAccount, listAccountIds, listCredits, type Account } from "@modelgate/accounts";
import { Failure, formatUsd, withoutUndefined } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { fields } from "./fields.ts";

const pageSize = 500;

/** Messages of refused credits, by the ledger's reply. */
const creditRefusals: Readonly<Record<string, string | undefined>> = {
  "too-low": "The account's available balance is lower than that.",
  "too-large": "An account can receive at most 8 billion dollars in total.",
  "too-many": "An account can receive at most 100,000 credits. Only corrections are possible now.",
};

/** Routes that create, show and credit accounts. */
export function accountRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  return {
    "GET /accounts": async ({ query, operator }) => {
      const after = query.get("after") ?? "";
      const { account, access } = operator;
      const accountIds = account === undefined ? await listAccountIds(redis) : (access?.accounts ?? [account]);
      const ids = accountIds
        .filter((id) => id > after)
        .toSorted()
        .slice(0, pageSize);
      const accounts = await Promise.all(ids.map((id) => findAccount(redis, id)));
      return accounts.filter((account) => account !== undefined).map(accountView);
    },
    "POST /accounts": async ({ body, actor }) => {
      const id = fields.accountId(body, "id");
      const balance = fields.optionalText(body, "balance") === undefined ? 0n : fields.dollars(body, "balance");
      if (balance < 0n) throw new Failure("invalid_value", "balance must not be negative.", { param: "balance" });
      const name = fields.optionalText(body, "name") ?? id;
      if (!(await ledger.createAccount({ id, balance, name }, actor))) {
        throw new Failure("invalid_value", `The account ${id} already exists.`, { param: "id", status: 409 });
      }
      return accountView(await requireAccount(redis, id));
    },
    "GET /accounts/{id}": async ({ params }) => {
      const id = params["id"] ?? "";
      return { ...accountView(await requireAccount(redis, id)), credits: (await listCredits(redis, id)).slice(0, 20) };
    },
    "POST /accounts/{id}": async ({ params, body, actor }) => {
      const { id } = await requireAccount(redis, params["id"] ?? "");
      const change = withoutUndefined({
        name: fields.optionalText(body, "name"),
        disabled: fields.optionalBoolean(body, "disabled"),
      });
      await ledger.write(`/accounts/${encodeURIComponent(id)}`, { change }, actor);
      return accountView(await requireAccount(redis, id));
    },
    "POST /accounts/{id}/credits": async ({ params, body, actor }) => {
      const { id: accountId } = await requireAccount(redis, params["id"] ?? "");
      const nanos = fields.dollars(body, "amount");
      if (nanos === 0n) throw new Failure("invalid_value", "amount must not be zero.", { param: "amount" });
      const reason = fields.text(body, "reason");
      const kind = fields.optionalWord(body, "kind", ["top-up", "correction"]);
      const operationId = fields.optionalText(body, "operationId") ?? randomUUID();
      const reply = await ledger.credit(
        makeCreditEvent(withoutUndefined({ accountId, nanos, reason, operationId, kind })),
        actor,
      );
      const refusal = creditRefusals[reply];
      if (refusal !== undefined) throw new Failure("invalid_value", refusal, { param: "amount" });
      return {
        ...accountView(await requireAccount(redis, accountId)),
        operationId,
        repeated: reply === "credited-before",
      };
    },
  };
}

/** Returns an account. Throws Failure (404) if it does not exist. */
export async function requireAccount(redis: Redis, id: string): Promise<Account> {
  const account = await findAccount(redis, id);
  if (account === undefined)
    throw new Failure("unknown_url", `There is no account ${JSON.stringify(id.slice(0, 100))}.`);
  return account;
}

function accountView(account: Account) {
  return {
    id: account.id,
    name: account.name,
    balanceNanos: account.balanceNanos.toString(),
    heldNanos: account.heldNanos.toString(),
    availableNanos: account.availableNanos.toString(),
    creditedNanos: account.creditedNanos.toString(),
    spentNanos: account.spentNanos.toString(),
    balance: formatUsd(account.balanceNanos),
    createdAt: account.createdAt,
    disabled: account.disabled,
  };
}
