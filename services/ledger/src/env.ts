import { serviceVariables, stateVariables, type EnvOf } from "@modelgate/platform";

/** Environment variables of the ledger. */
export const variables = serviceVariables("ledger", (read) => ({
  ...stateVariables(read),
  books: {
    url: read.optionalText(
      "BOOKS_URL",
      "PostgreSQL database of the books, for example `postgres://user:password@host:5432/database`. If unset, the books are a SQLite file.",
    ),
    folder: read.text(
      "MODELGATE_DATA",
      ".data",
      "Folder of the SQLite file of the books. Ledgers on one machine may share the file. Ledgers on several machines need PostgreSQL.",
    ),
    keepDays: read.integer(
      "BOOKS_KEEP_DAYS",
      400,
      "Number of days for which calls are stored in the books. Totals are never deleted.",
      {
        min: 1,
      },
    ),
  },
  /** Time in ms to wait for more events, which one transaction then records. */
  recording: { gatherMs: 1_000 },
  rounds: {
    /** Pause in ms between checks for abandoned events and holds. */
    roundMs: 1_000,
    /** Age in ms at which the ledger publishes an event of another service. */
    leftBehindMs: 5_000,
    /**
     * Time in ms after an outage of Redis in which no hold is settled as abandoned. Must exceed the pauses of services
     * between attempts to settle and between renewals of leases.
     */
    afterOutageMs: 30_000,
    /** Maximum events, and maximum holds, per shard and check. */
    batch: 500,
  },
  watch: {
    /** Interval in ms of reading values for metrics. */
    everyMs: 15_000,
    verifyEveryMs: read.integer(
      "VERIFY_EVERY_MS",
      86_400_000,
      "Interval in which the books of every account are verified once. With 0, they are verified only on demand.",
    ),
    lowHours: read.integer(
      "LOW_BALANCE_HOURS",
      24,
      "Number of hours. The balance of an account is low if it would be used up within this time at the rate of the last 24 hours.",
      { min: 1, max: 8_760 },
    ),
  },
  alerts: {
    /** Interval in ms between polls for due deliveries. */
    deliverMs: 2_000,
    /** Maximum ms of an attempt to deliver an alert. */
    timeoutMs: 10_000,
  },
}));

export type Env = EnvOf<typeof variables>;
