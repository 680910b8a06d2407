import { findAccount } from "@modelgate/accounts";
import { readTotals } from "@modelgate/books";
import type { Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { lowAccounts } from "./watch-metrics.ts";

/** Dependencies of the check for low balances. */
export interface BalanceCheckDeps {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  /** Hours that a balance must last at the rate of the last 24 hours. */
  readonly lowHours: number;
  /** Called with the available nano-dollars of accounts with a low balance. */
  readonly onLow?: ((accounts: ReadonlyMap<string, bigint>) => Promise<void>) | undefined;
}

const hourMs = 3_600_000;
const hoursBefore = 23;
/** Maximum number of accounts to check. The accounts that spent most are checked. */
const maxAccounts = 10_000;
/** Maximum accounts in one log line. */
const maxNamed = 20;

/** Returns a step that finds accounts with a low balance, and logs new ones. */
export function createBalanceCheck({ redis, connection, log, lowHours, onLow }: BalanceCheckDeps): () => Promise<void> {
  let lowBefore: ReadonlySet<string> = new Set();
  return async () => {
    const now = Date.now();
    // Complete hours have precomputed sums. For a part of an hour, every call would be read.
    const thisHour = now - (now % hourMs);
    const from = thisHour - hoursBefore * hourMs;
    const totals = await connection.useDuringMove((books) =>
      readTotals(books, { from, to: thisHour + hourMs, groupBy: ["account"] }),
    );
    const spending = totals
      .map(({ by, sums }) => ({ id: by.account ?? "", nanos: BigInt(sums["costNanos"] ?? "0") }))
      .filter(({ nanos }) => nanos > 0n)
      .sort((a, b) => (a.nanos < b.nanos ? 1 : -1))
      .slice(0, maxAccounts);
    const low = new Map<string, bigint>();
    for (const { id, nanos } of spending) {
      const account = await findAccount(redis, id);
      const needed = (nanos * BigInt(lowHours * hourMs)) / BigInt(now - from);
      if (account !== undefined && account.availableNanos < needed) low.set(id, account.availableNanos);
    }
    lowAccounts.set(low.size);
    const newly = [...low.keys()].filter((id) => !lowBefore.has(id));
    if (newly.length > 0)
      log.info({ accounts: newly.slice(0, maxNamed), count: newly.length }, "accounts have a low balance");
    lowBefore = new Set(low.keys());
    await onLow?.(low);
  };
}
