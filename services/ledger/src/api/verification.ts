import {
  findAccount,
  keepVerification,
  listAccountIds,
  readHeads,
  verifyAccount,
  type Verification,
} from "@modelgate/accounts";
import {
  findBooked,
  readReceipts,
  readRestorations,
  secondSettlements,
  type Books,
  type Restoration,
} from "@modelgate/books";
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

/** Makes what computes the balance of an account anew, from every receipt that the books have. */
export function verifierOf({
  redis,
  connection,
  keepDays,
}: VerificationDeps): (id: string) => Promise<Verification | undefined> {
  return async (id) => {
    const found = await connection.use(async (books) => {
      await untilWhole(redis, books, id);
      return verifyAccount(redis, id, { keepDays, waitMs, readEntries: (from) => readReceipts(books, id, from) });
    });
    if (found !== undefined) await keepVerification(redis, found);
    return found;
  };
}

/** Verification on demand. */
export function verificationRoutes(deps: VerificationDeps): OperatorRoutes {
  const { redis, connection } = deps;
  const compute = verifierOf(deps);
  const verify = async (id: string) => {
    const found = await compute(id);
    if (found === undefined) return undefined;
    return connection.use(async (books) => ({
      ...shown(found, await readRestorations(books, id, shownRestorations)),
      settledTwice: (await secondSettlements(books, id)).length,
    }));
  };
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

/** Pause between two looks whether an account is whole. */
const lookMs = 100;

/** Waits, for a while, until what a lost Redis had of an account is put back: meanwhile numbers are given twice. */
async function untilWhole(redis: Redis, books: Books, id: string): Promise<void> {
  for (const end = Date.now() + waitMs; Date.now() < end;) {
    const [account] = await findBooked(books, [id]);
    const [known] = await readHeads(redis, [id]);
    if (account === undefined || (account.whole && (known?.receipts ?? 0) >= account.receipts)) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** The newest restorations of an account that its verification names. */
const shownRestorations = 20;

function shown({ balanceNanos, ...verification }: Verification, restored: readonly Restoration[]) {
  return { ...verification, balanceNanos: balanceNanos.toString(), restored };
}
