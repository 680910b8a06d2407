import { stateVariables, type VariableReader } from "@modelgate/platform";

const mebibyte = 1024 * 1024;

/** Defaults that differ between services. */
export interface RelayDefaults {
  readonly bodyBytes?: number;
  readonly outputTokens?: number;
}

/** Reads the variables of every service that calls vendors. */
export function relayVariables(
  read: VariableReader,
  { bodyBytes = 64 * mebibyte, outputTokens = 16_384 }: RelayDefaults = {},
) {
  return {
    ...stateVariables(read),
    ...bodyVariables(read, bodyBytes),
    limits: limitVariables(read, outputTokens),
    attempts: {
      /** Maximum attempts of one call. */
      maxAttempts: 4,
      /** Time after which no further attempt begins. */
      budgetMs: 60_000,
    },
    metricsTop: read.integer(
      "METRICS_TOP",
      0,
      "Accounts, and groups, with the most calls that the metrics show by name; 0: none.",
      { max: 1_000 },
    ),
    /** Lease of a channel's or key's seat, in ms; the seats of a service that died are free afterwards. */
    channelLeaseMs: 30_000,
    /** Time after its last call for which a conversation's channel is remembered, in ms. */
    affinityMs: 6 * 3_600_000,
    /**
     * Time constant of the decay of a channel's measured speed, in ms: 37 % is left after it. For models of `choice:
     * fastest`.
     */
    fastestDecayMs: 60_000,
    /** Time for which an account may refer to objects that a vendor stored for it (containers, files, items), in ms. */
    madeIdLifetimeMs: 30 * 24 * 3_600_000,
    detachedAnswers: {
      /**
       * Maximum number of answers that are read at the same time after their clients disconnected; they report what
       * must be charged.
       */
      most: 256,
      /** Maximum duration of each, in ms. */
      ms: 60_000,
    },
  };
}

function limitVariables(read: VariableReader, outputTokens: number) {
  return {
    /**
     * Output tokens per answer or image that money is held for if neither the client nor the model's `maxOutputTokens`
     * limits them.
     */
    outputTokens,
    /** Output tokens of a text stream that money is held for at first, and in each further step while it runs. */
    stepTokens: 2_048,
    /**
     * Calls of vendor-side tools that money is held for, and the limit that is sent to the vendor, if the client sets
     * none.
     */
    toolCalls: 16,
    /** Input tokens that money is held for with each of these calls, because the model reads the tool's results. */
    toolTokens: 4_096,
    /**
     * Lease of a hold in ms, renewed while its call runs; after it the ledger settles the calls of a service that died.
     */
    leaseMs: 15_000,
    /** Maximum events that may wait in one shard's outbox before calls are refused (503). */
    outboxBound: 100_000,
    heartbeatMs: read.integer("HEARTBEAT_MS", 15_000, "Silence of a vendor after which a stream gets a sign of life.", {
      min: 10,
      max: 30_000, // half of the silence that the edge accepts
    }),
    /** Maximum ms for which the chunks of a burst in a stream are collected; 0: each is passed on immediately. */
    gatherMs: 1,
    /** Maximum bytes of an answer that is not a stream: 2,048 embeddings of 3,072 floats in JSON are about 130 MB. */
    answerBytes: 128 * mebibyte,
  };
}

function bodyVariables(read: VariableReader, bodyBytes: number) {
  return {
    body: {
      maxBytes: read.integer("BODY_BYTES", bodyBytes, "Largest JSON body of a request, decompressed.", { min: 1_024 }),
      /** Maximum ms for a complete body to arrive. */
      totalMs: 600_000,
      /** Maximum nesting depth of a body. */
      depth: 256,
      // Real requests stay far below: 300,000 tokens of embeddings, the maximum that vendors accept in one request, are
      // as many values; 10,000 messages have 60,000 members. No vendor's request has a hundred fields.
      /** Maximum values of a body, at all depths. */
      values: 500_000,
      /** Maximum members of all objects of a body together. */
      members: 100_000,
      /** Maximum members of a body's outermost object. */
      topMembers: 1_000,
    },
    pace: {
      /** Maximum silence while a body arrives, in ms. */
      silenceMs: 30_000,
      /** Time in ms after which a body that arrives below the minimum average rate is refused (408). */
      graceMs: 10_000,
      /** Minimum average rate at which a body must arrive. */
      floorBytesPerSecond: 1_024,
    },
    buffers: {
      bytes: read.integer(
        "BUFFER_BYTES",
        512 * mebibyte,
        "Bodies and answers that the process holds in memory at once.",
        {
          min: 1_024,
        },
      ),
      shares: {
        /** Percentage of that memory that one account may use. Its only body may exceed it. */
        accountPercent: 50,
        /** Percentage of that memory that one API key may use. A body that is the key's only one may exceed it. */
        tokenPercent: 25,
        /** Bodies of one account that may arrive at the same time. */
        accountBodies: 1_000,
        /** Bodies of one API key that may arrive at the same time. */
        tokenBodies: 500,
      },
    },
  };
}

/** Reads the hosts of the operator's private network that files may be fetched from. */
export function privateHostsVariable(read: VariableReader): string {
  return read.text(
    "FETCH_PRIVATE_HOSTS",
    "",
    "Hosts of the operator's own network that images may be fetched from, separated by commas.",
  );
}

/** Values of the variables of every service that calls vendors. */
export type RelayEnv = ReturnType<typeof relayVariables>;

/** Limits of a call's processing. */
export type RelayLimits = Readonly<RelayEnv["limits"]>;
