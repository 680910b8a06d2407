import { findAccount, listAccountIds, verifyAccount, type Verification } from "@modelgate/accounts";
import { readReceipts, readRestorations, type Restoration } from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";

/** Accounts that one call verifies; the next call goes on after the last of them. */
const pageSize = 20;
/** How long receipts that are on their way to the books are waited for. */
const waitMs = 15_000;

/** What the verification works with. */
export interface VerificationDeps {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly keepDays: number;
}

/** Balances computed anew, from every receipt that the books have. */
export function verificationRoutes({ redis, connection, keepDays }: VerificationDeps): OperatorRoutes {
  const verify = (id: string) =>
    connection.use(async (books) => {
      const options = { keepDays, waitMs, readEntries: (from: number) => readReceipts(books, id, from) };
      const found = await verifyAccount(redis, id, options);
      return found === undefined ? undefined : shown(found, await readRestorations(books, id, shownRestorations));
    });
  return {
    "GET /ledger/verification": async ({ query }) => {
      const wanted = query.get("account");
      const after = query.get("after") ?? "";
      if (wanted !== null && (await findAccount(redis, wanted)) === undefined)
        throw new Failure("unknown_url", `There is no account ${JSON.stringify(wanted.slice(0, 100))}.`);
      const ids =
        wanted === null ? (await listAccountIds(redis)).filter((id) => id > after).slice(0, pageSize) : [wanted];
      const found = await Promise.all(ids.map(verify));
      return {
        accounts: found.filter((verification) => verification !== undefined),
        next: ids.length === pageSize ? ids.at(-1) : null,
      };
    },
  };
}

/** The newest restorations of an account that its verification names. */
const shownRestorations = 20;

function shown({ balanceNanos, ...verification }: Verification, restored: readonly Restoration[]) {
  return { ...verification, balanceNanos: balanceNanos.toString(), restored };
}
