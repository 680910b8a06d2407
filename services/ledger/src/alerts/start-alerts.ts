import type { UsageEvent } from "@modelgate/contracts";
import type { Books } from "@modelgate/books";
import type { Logger, Redis, WaitingRefusal } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { repeatPeriodically } from "../watch/every.ts";
import { AlertRecorder } from "./alert-recorder.ts";
import { BudgetAlerts } from "./budget-alerts.ts";
import { recordCertificateAlerts } from "./certificates.ts";
import { deliverAlerts } from "./deliver.ts";
import { recordChannelAlerts, recordDivergenceAlerts, recordKeyAlerts } from "./record-alerts.ts";
import { balanceAlert, unpricedAlerts } from "./rules.ts";
import type { AlertSender } from "./send.ts";

/** Dependencies and intervals of alerts. */
export interface AlertOptions {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  readonly sender: AlertSender;
  /** Interval in ms between searches for alerts. */
  readonly everyMs: number;
  /** Interval in ms between polls for due deliveries. */
  readonly deliverMs: number;
  /** Addresses of Redis, NATS and PostgreSQL, whose certificates are checked. */
  readonly storeUrls: readonly string[];
  /** Hours that a balance must last at the current rate of spending. */
  readonly lowHours: number;
}

/** Background search for alerts and their delivery. */
export interface Alerts extends AsyncDisposable {
  /**
   * Remembers recorded calls for budget alerts, and stores alerts about units without a price. Must finish before the
   * calls' events are acknowledged.
   */
  readonly noteCalls: (books: Books, events: readonly UsageEvent[]) => Promise<void>;
  /** Remembers refused calls for budget alerts. */
  readonly noteRefused: (refusals: readonly WaitingRefusal[]) => void;
  /** Stores alerts about accounts with a low balance. The map has their available nano-dollars. */
  readonly noteLow: (accounts: ReadonlyMap<string, bigint>) => Promise<void>;
}

const hourMs = 3_600_000;

/** Starts the search for alerts and their delivery. */
export function startAlerts({
  redis,
  connection,
  log,
  sender,
  everyMs,
  deliverMs,
  storeUrls,
  lowHours,
}: AlertOptions): Alerts {
  const recorder = new AlertRecorder(log);
  const budgets = new BudgetAlerts();
  const running = new AsyncDisposableStack();
  const deps = { redis, recorder };
  const steps: readonly (readonly [name: string, record: (books: Books) => Promise<void>])[] = [
    ["alerts of channels", (books) => recordChannelAlerts(books, deps)],
    ["alerts of divergences", (books) => recordDivergenceAlerts(books, deps)],
    ["alerts of budgets", (books) => budgets.record(books, deps)],
    ["alerts of expiring keys", atMostHourly((books) => recordKeyAlerts(books, deps))],
    ["alerts of expiring certificates", atMostHourly((books) => recordCertificateAlerts(books, deps, storeUrls))],
  ];
  for (const [name, record] of steps)
    running.use(
      repeatPeriodically({ name, everyMs, log, level: "warn", step: () => connection.useDuringMove(record) }),
    );
  running.use(
    repeatPeriodically({
      name: "the delivery of alerts",
      everyMs: deliverMs,
      log,
      level: "warn",
      step: (signal) => deliverAlerts({ connection, sender, log }, signal),
    }),
  );
  return {
    async noteCalls(books, events) {
      budgets.noteCalls(events);
      await recorder.record(books, unpricedAlerts(events));
    },
    noteRefused: (refusals) => budgets.noteRefused(refusals),
    async noteLow(accounts) {
      const now = Date.now();
      const alerts = [...accounts].map(([id, available]) => balanceAlert(id, available, lowHours, now));
      await connection.useDuringMove((books) => recorder.record(books, alerts));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns a step that runs only if an hour has passed since its last success. */
function atMostHourly(record: (books: Books) => Promise<void>): (books: Books) => Promise<void> {
  let next = 0;
  return async (books) => {
    if (Date.now() < next) return;
    await record(books);
    next = Date.now() + hourMs;
  };
}
