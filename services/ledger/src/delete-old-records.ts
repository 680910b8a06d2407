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

const deletionIntervalMs = 3_600_000;
/** Time in ms for which refused calls are kept. */
const keepRefusedMs = 7 * 86_400_000;
/** Time in ms for which alerts are kept. Exceeds the longest period of a budget, whose alerts must not be repeated. */
const keepAlertsMs = 400 * 86_400_000;

/**
 * Deletes old calls, refused calls and alerts every hour. Also completes the audit chain and the signed heads after an
 * upgrade.
 */
export function startDeletingOldRecords({
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
  const deleteOldRecords = (): void => {
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
  const timer = setInterval(deleteOldRecords, deletionIntervalMs);
  deleteOldRecords();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
