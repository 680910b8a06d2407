import { Counter, Gauge } from "@modelgate/platform";

/** Memory use of each Redis primary, in bytes. */
export const redisMemory = new Gauge({
  name: "modelgate_redis_memory_bytes",
  help: "Memory of each Redis primary.",
  labelNames: ["node"],
});

/** Memory limit of each Redis primary, in bytes. */
export const redisMemoryLimit = new Gauge({
  name: "modelgate_redis_memory_limit_bytes",
  help: "maxmemory of each Redis primary, or the memory of its machine.",
  labelNames: ["node"],
});

/** 1 for each event stream that NATS has, else 0. */
export const streamPresent = new Gauge({
  name: "modelgate_stream_present",
  help: "1 if NATS has the event stream.",
  labelNames: ["stream"],
});

/** Number of events that are not in the books yet. */
export const lagEvents = new Gauge({
  name: "modelgate_ledger_lag_events",
  help: "Events of a stream that are not in the books yet.",
  labelNames: ["stream"],
});

/** Age of the oldest event that is not in the books yet. */
export const lagSeconds = new Gauge({
  name: "modelgate_ledger_lag_seconds",
  help: "Age of the oldest event of a stream that is not in the books yet; 0 if there is none.",
  labelNames: ["stream"],
});

/** Number of accounts with a low balance. */
export const lowAccounts = new Gauge({
  name: "modelgate_accounts_low_balance",
  help: "Accounts whose balance will not last LOW_BALANCE_HOURS at the rate of the last 24 hours.",
});

/** Number of accounts whose last verification failed. */
export const divergingAccounts = new Gauge({
  name: "modelgate_accounts_diverging",
  help: "Accounts whose balance differed from their receipts at the last verification.",
});

/** Counts the periodic verifications by their result. */
export const verifications = new Counter({
  name: "modelgate_verifications_total",
  help: "Accounts that the ledger verified periodically.",
  labelNames: ["result"],
});
