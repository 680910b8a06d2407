import { serviceVariables, stateVariables, variable } from "@modelgate/platform";

/** Every variable that the ledger reads, with its bounds. */
export const variables = {
  ...serviceVariables("LEDGER"),
  ...stateVariables,
  /** The PostgreSQL that the books are in, `postgres://user:password@host:5432/database`; unset: a SQLite file. */
  BOOKS_URL: variable.optionalText(),
  /** The folder of that file, `books.sqlite`. One machine's ledgers may share it; those of several need PostgreSQL. */
  MODELGATE_DATA: variable.text(".data"),
  /** How many whole days of calls the books keep; totals are kept for good. */
  BOOKS_KEEP_DAYS: variable.integer({ fallback: 400, min: 1 }),
  /** How often the shards are looked through. */
  ROUND_MS: variable.integer({ fallback: 1_000, min: 50 }),
  /** Events that waited this long have been left behind by their service. */
  LEFT_BEHIND_MS: variable.integer({ fallback: 5_000, min: 50 }),
  /**
   * How long no hold is taken for dead after Redis was away: longer than the longest pause between two tries of a
   * service to settle (accounts: `settleSurely`), and than a third of a hold's lease, when it is renewed.
   */
  AFTER_OUTAGE_MS: variable.integer({ fallback: 30_000 }),
  /** How often memory of Redis, streams, lag and balances are looked at for the metrics. */
  WATCH_MS: variable.integer({ fallback: 15_000, min: 100 }),
  /** Within what time the books of every account are computed anew, spread over it; 0: only when somebody asks. */
  VERIFY_EVERY_MS: variable.integer({ fallback: 86_400_000 }),
  /** An account is low where its balance would not last so long at the rate of the last 24 hours. */
  LOW_BALANCE_HOURS: variable.integer({ fallback: 24, min: 1, max: 8_760 }),
  /** Most events and dead holds of one shard that one round takes. */
  ROUND_BATCH: variable.integer({ fallback: 500, min: 1, max: 10_000 }),
};
