import {
  chainLateAudit,
  deleteOldAlerts,
  deleteOldCalls,
  deleteOldRefusals,
  signFirstHeads,
  type AnchorSigner,
} from "@modelgate/books";
import type { Logger } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";

/** Interval, in ms, between two deletions of expired calls. */
const deletionIntervalMs = 3_600_000;
/** Time, in ms, for which refused calls are kept. */
const keepRefusedMs = 7 * 86_400_000;
/**
 * Time, in ms, for which alerts are kept; longer than a quarter, because a budget's alert happens once in its period.
 */
const keepAlertsMs = 400 * 86_400_000;

/**
 * At the start and every hour, removes calls older than `keepDays`, refused calls after a week, and alerts after 400
 * days. Also completes the chain of the audit log and the signed heads after an upgrade. After a failure, the steps are
 * repeated in the next hour.
 */
export function startForgetting({
  connection,
  log,
  keepDays,
  signer,
}: {
  readonly connection: BooksConnection;
  readonly log: Logger;
  readonly keepDays: number;
  readonly signer: AnchorSigner;
}): AsyncDisposable {
  let running: Promise<void> | undefined;
  const forget = (): void => {
    running ??= connection
      .useDuringMove(async (books) => {
        await deleteOldCalls(books, keepDays, Date.now());
        await deleteOldRefusals(books, Date.now() - keepRefusedMs);
        await deleteOldAlerts(books, Date.now() - keepAlertsMs);
        await chainLateAudit(books, Date.now());
        await signFirstHeads(books, signer);
      })
      .catch((error: unknown) => log.warn({ err: error }, "removing old calls failed; trying again"))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(forget, deletionIntervalMs);
  forget();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
