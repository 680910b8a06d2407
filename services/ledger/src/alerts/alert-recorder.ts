import { endAlert, recordAlerts, type Books, type NewAlert } from "@modelgate/books";
import type { Alert } from "@modelgate/contracts";
import { BoundedMap, type Logger } from "@modelgate/platform";
import { alertsRecorded } from "./alerts-metrics.ts";

/** Stores alerts in the books. Remembers stored alerts, because most conditions are found repeatedly. */
export class AlertRecorder {
  readonly #known = new BoundedMap<true>();
  readonly #log: Logger;
  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns whether this ledger knows that an alert is stored. */
  isKnown(alert: NewAlert): boolean {
    return this.#known.get(nameOf(alert)) === true;
  }

  async record(books: Books, alerts: readonly NewAlert[]): Promise<void> {
    const unknown = [
      ...new Map(alerts.filter((alert) => !this.isKnown(alert)).map((alert) => [nameOf(alert), alert])).values(),
    ];
    if (unknown.length === 0) return;
    this.#report(await recordAlerts(books, unknown));
    for (const alert of unknown) this.#known.set(nameOf(alert), true);
  }

  /** Stores the alert `recovery` about the end of an open alert's condition. */
  async end(books: Books, openAlert: Alert, recovery: NewAlert): Promise<void> {
    this.#report(await endAlert(books, openAlert.id, recovery));
  }

  #report(stored: readonly Alert[]): void {
    for (const { kind, id, account, summary } of stored) {
      alertsRecorded.inc({ kind });
      this.#log.info({ alert: id, kind, account, summary }, "alert");
    }
  }
}

function nameOf({ account, kind, subject, period }: NewAlert): string {
  return [account, kind, subject, period].join("\n");
}
