import { endAlert, recordAlerts, type Books, type NewAlert } from "@modelgate/books";
import type { Alert } from "@modelgate/contracts";
import { BoundedMap, type Logger } from "@modelgate/platform";
import { alertsRecorded } from "./alerts-metrics.ts";

/** Stores alerts in the books. Remembers which alerts are stored, because each round finds most conditions again. */
export class AlertRecorder {
  readonly #known = new BoundedMap<true>();
  readonly #log: Logger;
  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns true if an alert is known to be stored. An alert that is not known may be stored too. */
  isKnown(alert: NewAlert): boolean {
    return this.#known.get(nameOf(alert)) === true;
  }

  /** Stores alerts, unless they are stored already. */
  async record(books: Books, alerts: readonly NewAlert[]): Promise<void> {
    const unknown = [
      ...new Map(alerts.filter((alert) => !this.isKnown(alert)).map((alert) => [nameOf(alert), alert])).values(),
    ];
    if (unknown.length === 0) return;
    this.#report(await recordAlerts(books, unknown));
    for (const alert of unknown) this.#known.set(nameOf(alert), true);
  }

  /** Stores that the condition of an alert has ended. */
  async end(books: Books, openAlert: Alert, ended: NewAlert): Promise<void> {
    this.#report(await endAlert(books, openAlert.id, ended));
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
