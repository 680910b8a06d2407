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
      "Folder of that file. Ledgers of one machine may share it; those of several machines need PostgreSQL.",
    ),
    keepDays: read.integer("BOOKS_KEEP_DAYS", 400, "How long single calls are kept in the books; totals stay.", {
      min: 1,
    }),
  },
  rounds: {
    roundMs: read.integer("ROUND_MS", 1_000, "How often the shards are checked for events and holds left behind.", {
      min: 50,
    }),
    leftBehindMs: read.integer(
      "LEFT_BEHIND_MS",
      5_000,
      "Age at which an event counts as left behind by its service, and is published by the ledger.",
      { min: 50 },
    ),
    // Longer than the longest pause between two tries of a service to settle (accounts: `settleSurely`), and than a
    // third of a hold's lease, when it is renewed.
    afterOutageMs: read.integer(
      "AFTER_OUTAGE_MS",
      30_000,
      "How long after an outage of Redis no hold counts as left behind: services need the time to settle or renew.",
    ),
    batch: read.integer("ROUND_BATCH", 500, "Most events and most holds of one shard that one round takes.", {
      min: 1,
      max: 10_000,
    }),
  },
  watch: {
    everyMs: read.integer(
      "WATCH_MS",
      15_000,
      "How often Redis' memory, streams, lag and balances are read for metrics.",
      {
        min: 100,
      },
    ),
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
