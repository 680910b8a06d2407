import { serviceVariables, stateVariables, variable } from "@modelgate/platform";

/** Every variable that the text service reads, with its bounds. */
export const variables = {
  ...serviceVariables("TEXT"),
  ...stateVariables,
  /** Largest body, decompressed. */
  BODY_BYTES: variable.integer({ fallback: 64 * 1024 * 1024, min: 1_024 }),
  /** Longest silence while a body arrives. */
  BODY_SILENCE_MS: variable.integer({ fallback: 30_000, min: 10 }),
  /** Longest time for a whole body, however steadily it drips. */
  BODY_TOTAL_MS: variable.integer({ fallback: 600_000, min: 100 }),
  /** Deepest nesting of a body. */
  BODY_DEPTH: variable.integer({ fallback: 256, min: 8, max: 5_000 }),
  /** Bytes of bodies and answers that the process holds at once. */
  BUFFER_BYTES: variable.integer({ fallback: 512 * 1024 * 1024, min: 1_024 }),
  /** Largest answer that is not a stream. */
  ANSWER_BYTES: variable.integer({ fallback: 32 * 1024 * 1024, min: 1_024 }),
  /** Output tokens held for where the client set no bound. */
  HOLD_OUTPUT_TOKENS: variable.integer({ fallback: 16_384, min: 1 }),
  /** Lease of a hold; a service that dies leaves its calls to the sweep after it. */
  HOLD_LEASE_MS: variable.integer({ fallback: 60_000, min: 1_000 }),
  /** Events that may wait in one shard's outbox before calls are refused. */
  OUTBOX_BOUND: variable.integer({ fallback: 100_000, min: 1 }),
  /** Attempts of one call, and the time after which no further one begins. */
  ATTEMPTS: variable.integer({ fallback: 4, min: 1, max: 100 }),
  ATTEMPT_BUDGET_MS: variable.integer({ fallback: 60_000, min: 1 }),
  /** How long a stored response can be referred to. */
  RESPONSE_LIFETIME_MS: variable.integer({ fallback: 7 * 24 * 3_600_000, min: 1_000 }),
  /** Largest response that is stored, with its input, compressed. */
  RESPONSE_BYTES: variable.integer({ fallback: 4 * 1024 * 1024, min: 1_024 }),
  /** Silence of a vendor after which a stream gets a sign of life. */
  HEARTBEAT_MS: variable.integer({ fallback: 15_000, min: 10 }),
};
