import { Counter, Gauge } from "@modelgate/platform";

/** Memory of Redis, by primary. */
export const redisMemory = new Gauge({
  name: "modelgate_redis_memory_bytes",
  help: "memory that Redis uses, by primary",
  labelNames: ["node"],
});

/** Memory limit of Redis. */
export const redisMemoryLimit = new Gauge({
  name: "modelgate_redis_memory_limit_bytes",
  help: "maxmemory of Redis, or the memory of its machine where there is none, by primary",
  labelNames: ["node"],
});

/** 1 for each stream of events that NATS has, else 0. */
export const streamPresent = new Gauge({
  name: "modelgate_stream_present",
  help: "1 where NATS has the stream of events",
  labelNames: ["stream"],
});

/** Number of events that are not in the books yet. */
export const lagEvents = new Gauge({
  name: "modelgate_ledger_lag_events",
  help: "events of a stream that are not in the books yet",
  labelNames: ["stream"],
});

/** Age of the oldest event that is not in the books yet. */
export const lagSeconds = new Gauge({
  name: "modelgate_ledger_lag_seconds",
  help: "age of the oldest event of a stream that is not in the books yet; 0 where all are",
  labelNames: ["stream"],
});

/** Accounts whose money is nearly gone. */
export const lowAccounts = new Gauge({
  name: "modelgate_accounts_low_balance",
  help: "accounts whose balance would not last LOW_BALANCE_HOURS at the rate of the last 24 hours",
});

/** Accounts whose books did not hold when they were last verified. */
export const divergingAccounts = new Gauge({
  name: "modelgate_accounts_diverging",
  help: "accounts whose balance is not what their receipts make, as last verified",
});

/** Verifications that the ledger made by itself. */
export const verifications = new Counter({
  name: "modelgate_verifications_total",
  help: "accounts that the ledger verified by itself",
  labelNames: ["result"],
});
