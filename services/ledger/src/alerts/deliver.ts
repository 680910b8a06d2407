import { claimDeliveries, finishDelivery, type ClaimedDelivery } from "@modelgate/books";
import type { Logger } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { alertAttempts } from "./alerts-metrics.ts";
import type { AlertSender } from "./send.ts";

/** Dependencies of the delivery of alerts. */
export interface DeliveryDeps {
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly sender: AlertSender;
  readonly log: Logger;
}

const maxAtOnce = 20;

/** Sends the deliveries that are due. Several ledgers may do this, because a ledger claims a delivery before it sends. */
export async function deliverAlerts(deps: DeliveryDeps, signal: AbortSignal): Promise<void> {
  const { connection } = deps;
  for (let claimed = maxAtOnce; claimed > 0 && !signal.aborted;) {
    const due = await connection.useDuringMove((books) =>
      claimDeliveries(books, { nowMs: Date.now(), max: maxAtOnce }),
    );
    await Promise.all(due.map((delivery) => deliver(deps, delivery, signal)));
    claimed = due.length;
  }
}

async function deliver(
  { connection, sender, log }: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { alert, target, isLast } = delivery;
  const error = await sender.send(delivery, alert, signal);
  if (error !== undefined && signal.aborted) return; // the delivery becomes due again later
  const result = error === undefined ? "delivered" : isLast ? "dead" : "failed";
  alertAttempts.inc({ target: target.kind, result });
  if (error !== undefined)
    log[isLast ? "warn" : "debug"]({ alert: alert.id, target: target.id, why: error }, "an alert was not delivered");
  await connection.useDuringMove((books) => finishDelivery(books, delivery, error));
}
