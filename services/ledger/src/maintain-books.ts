import {
  chainLateAudit,
  deleteOldAlerts,
  deleteOldCalls,
  deleteOldRefusals,
  storeFirstAnchors,
  type AnchorSigner,
} from "@modelgate/books";
import type { Logger, Secrets } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { stepsOfRotation, type MaintenanceStep } from "./encrypt-again.ts";

const intervalMs = 3_600_000;
/** Time in ms for which refused calls are kept. */
const keepRefusedMs = 7 * 86_400_000;
/** Time in ms for which alerts are kept. Exceeds the longest period of a budget, whose alerts must not be repeated. */
const keepAlertsMs = 400 * 86_400_000;

/**
 * Encrypts data again after a rotation of the secret, and deletes old calls, refused calls and alerts, at the start and
 * every hour. Also completes the audit chain and the anchors after an upgrade. A step that fails does not stop the
 * other ones.
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
  const steps: readonly MaintenanceStep[] = [
    ...stepsOfRotation(secrets, signer, log),
    ["deleting old calls", (books) => deleteOldCalls(books, keepDays, Date.now())],
    ["deleting refused calls", (books) => deleteOldRefusals(books, Date.now() - keepRefusedMs)],
    ["deleting old alerts", (books) => deleteOldAlerts(books, Date.now() - keepAlertsMs)],
    ["completing the audit chain", (books) => chainLateAudit(books, Date.now())],
    ["storing first anchors", (books) => storeFirstAnchors(books, signer)],
  ];
  const runSteps = async (): Promise<void> => {
    for (const [name, run] of steps)
      await connection
        .useDuringMove(run)
        .catch((error: unknown) => log.warn({ err: error }, `${name} in the books failed; trying again in an hour`));
  };
  let running: Promise<void> | undefined;
  const maintain = (): void => {
    running ??= runSteps().finally(() => {
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
