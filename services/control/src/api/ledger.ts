import { listAccountIds, verifyAccount, type Verification } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { accountOf } from "./accounts.ts";
import type { OperatorRoutes } from "./router.ts";

/** Accounts that one call verifies; the next call goes on after the last of them. */
const pageSize = 20;
/** How long receipts that are on their way to the log are waited for. */
const waitMs = 15_000;

/** The books computed anew. */
export function ledgerRoutes(redis: Redis, keepDays: number): OperatorRoutes {
  return {
    "GET /ledger/verification": async ({ query }) => {
      const wanted = query.get("account");
      const after = query.get("after") ?? "";
      const ids =
        wanted === null
          ? (await listAccountIds(redis)).filter((id) => id > after).slice(0, pageSize)
          : [(await accountOf(redis, wanted)).id];
      const found = await Promise.all(ids.map((id) => verifyAccount(redis, id, { keepDays, waitMs })));
      return {
        accounts: found.filter((verification) => verification !== undefined).map(shown),
        next: ids.length === pageSize ? ids.at(-1) : null,
      };
    },
    "GET /prices/{version}": async ({ params }) => {
      const price = await redis.hget(priceVersionsKey, params["version"] ?? "");
      if (price === null) throw new Failure("unknown_url", "No price was ever published under that version.");
      return { version: params["version"], ...parsed(price) };
    },
  };
}

/** Hash: version → price as it was written, and when it was first published. Versions are in usage events. */
export const priceVersionsKey = "price-versions";

function parsed(text: string): object {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? value : {};
}

function shown({ balanceNanos, ...verification }: Verification) {
  return { ...verification, balanceNanos: balanceNanos.toString() };
}
