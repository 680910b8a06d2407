import { serviceVariables, stateVariables, variable } from "@modelgate/platform";

/** Every variable that the ledger reads, with its bounds. */
export const variables = {
  ...serviceVariables("LEDGER"),
  ...stateVariables,
  /** How often the shards are looked through. */
  ROUND_MS: variable.integer({ fallback: 1_000, min: 50 }),
  /** Events that waited this long have been left behind by their service. */
  LEFT_BEHIND_MS: variable.integer({ fallback: 5_000, min: 50 }),
  /** Most events and dead holds of one shard that one round takes. */
  ROUND_BATCH: variable.integer({ fallback: 500, min: 1, max: 10_000 }),
  /** How long totals and usage logs are kept. */
  USAGE_KEEP_DAYS: variable.integer({ fallback: 400, min: 1 }),
  /** Most events that the log of one account's day holds. */
  USAGE_LOG_ENTRIES: variable.integer({ fallback: 1_000_000, min: 1 }),
};
