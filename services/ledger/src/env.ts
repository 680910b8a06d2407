import { serviceVariables, stateVariables, type EnvOf } from "@modelgate/platform";

/** Every variable that the ledger reads, with its bounds. */
export const variables = serviceVariables("ledger", (read) => ({
  ...stateVariables(read),
  books: {
    url: read.optionalText(
      "BOOKS_URL",
      "PostgreSQL that the books are in, `postgres://user:password@host:5432/database`; unset: a SQLite file.",
    ),
    folder: read.text(
      "MODELGATE_DATA",
      ".data",
      "Folder of the SQLite file of the books. Ledgers of one machine may share it; those of several machines need PostgreSQL.",
    ),
    keepDays: read.integer("BOOKS_KEEP_DAYS", 400, "How long single calls are kept in the books; totals stay.", {
      min: 1,
    }),
  },
  rounds: {
    /** Pause between two checks of the shards for events and holds left behind. */
    roundMs: 1_000,
    /** Age at which an event counts as left behind by its service, and is published by the ledger. */
    leftBehindMs: 5_000,
    /**
     * Time after an outage of Redis in which no hold counts as left behind: services need it to settle or renew. Longer than
     * the longest pause between two tries of a service to settle, and than a third of a hold's lease, when it is renewed.
     */
    afterOutageMs: 30_000,
    /** Maximum events and most holds of one shard that one round takes. */
    batch: 500,
  },
  watch: {
    /** Pause between two readings of Redis' memory, streams, lag and balances for metrics. */
    everyMs: 15_000,
    verifyEveryMs: read.integer(
      "VERIFY_EVERY_MS",
      86_400_000,
      "Within what time the books of every account are computed anew, spread over it; 0: only on demand.",
    ),
    lowHours: read.integer(
      "LOW_BALANCE_HOURS",
      24,
      "An account is low where its balance would not last so long at the rate of the last 24 hours.",
      { min: 1, max: 8_760 },
    ),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
