import {
  chainLateAudit,
  deleteOldAlerts,
  deleteOldCalls,
  deleteOldRefusals,
  signFirstHeads,
  type AnchorSigner,
} from "@modelgate/books";
import type { Logger, Secrets } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { encryptAgain } from "./encrypt-again.ts";

const intervalMs = 3_600_000;
/** Time in ms for which refused calls are kept. */
const keepRefusedMs = 7 * 86_400_000;
/** Time in ms for which alerts are kept. Exceeds the longest period of a budget, whose alerts must not be repeated. */
const keepAlertsMs = 400 * 86_400_000;

/**
 * Encrypts data again after a rotation of the secret, and deletes old calls, refused calls and alerts, at the start and
 * every hour. Also completes the audit chain and the signed heads after an upgrade.
 */
export function startMaintainingBooks({
  connection,
  log,
  keepDays,
  signer,
  secrets,
}: {
  readonly connection: BooksConnection;
  readonly log: Logger;
  readonly keepDays: number;
  readonly signer: AnchorSigner;
  readonly secrets: Secrets;
}): AsyncDisposable {
  let running: Promise<void> | undefined;
  const maintain = (): void => {
    running ??= connection
      .useDuringMove(async (books) => {
        await encryptAgain(books, secrets, signer, log);
        await deleteOldCalls(books, keepDays, Date.now());
        await deleteOldRefusals(books, Date.now() - keepRefusedMs);
        await deleteOldAlerts(books, Date.now() - keepAlertsMs);
        await chainLateAudit(books, Date.now());
        await signFirstHeads(books, signer);
      })
      .catch((error: unknown) => log.warn({ err: error }, "maintaining the books failed; trying again"))
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(maintain, intervalMs);
  maintain();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}
