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
      "Number of accounts, and number of groups, that metrics show by name. They are those with the most calls. With 0, metrics show none.",
      { max: 1_000 },
    ),
    /** Time in ms after which the concurrency seats of a service that died are free again. */
    channelLeaseMs: 30_000,
    /** Time in ms after a conversation's last call for which its route is remembered. */
    affinityMs: 6 * 3_600_000,
    /**
     * Time constant, in ms, of the decay of a channel's measured speed: after it, 37 % of the weight is left. The speed
     * is used for models with `choice: fastest`.
     */
    fastestDecayMs: 60_000,
    /** Time for which an account may refer to objects that a vendor stored for it (containers, files, items), in ms. */
    madeIdLifetimeMs: 30 * 24 * 3_600_000,
    detachedAnswers: {
      /**
       * Maximum number of vendor answers that are read at the same time after their clients disconnected. These answers
       * report the usage to be charged.
       */
      maxAnswers: 256,
      /** Maximum ms for which a vendor's answer is read after its client disconnected. */
      ms: 60_000,
    },
  };
}

function limitVariables(read: VariableReader, outputTokens: number) {
  return {
    /**
     * Output tokens per answer or image for which money is held if neither the client nor the model's `maxOutputTokens`
     * limits them.
     */
    outputTokens,
    /**
     * Output tokens of a text stream for which money is held at first, and by which the hold is extended while the
     * stream arrives.
     */
    stepTokens: 2_048,
    /**
     * Calls of vendor-side tools for which money is held if the client sets no limit. The same limit is sent to the
     * vendor.
     */
    toolCalls: 16,
    /**
     * Input tokens for which money is held per call of a vendor-side tool, because the model reads the tool's results.
     */
    toolTokens: 4_096,
    /**
     * Lease of a hold in ms. It is renewed while the call runs; if the service dies, the ledger settles the call when
     * the lease has ended.
     */
    leaseMs: 15_000,
    /** Maximum events that may wait in the outbox of one shard; beyond it, calls are refused (503). */
    outboxBound: 100_000,
    heartbeatMs: read.integer(
      "HEARTBEAT_MS",
      15_000,
      "Time without data from the vendor after which the client of a stream gets a heartbeat.",
      {
        min: 10,
        max: 30_000, // half of the silence that the edge accepts
      },
    ),
    /** Maximum ms for which the chunks of a burst in a stream are collected; 0: each chunk is passed on immediately. */
    gatherMs: 1,
    /** Maximum bytes of an answer that is not a stream; 2,048 embeddings of 3,072 floats are about 130 MB of JSON. */
    answerBytes: 128 * mebibyte,
  };
}

function bodyVariables(read: VariableReader, bodyBytes: number) {
  return {
    body: {
      maxBytes: read.integer("BODY_BYTES", bodyBytes, "Maximum size of a request's JSON body after decompression.", {
        min: 1_024,
      }),
      /** Maximum ms until a body has arrived completely. */
      totalMs: 600_000,
      /** Maximum nesting depth of a body. */
      depth: 256,
      // Real requests stay below the three following limits. Vendors accept at most 300,000 tokens for embeddings in
      // one request, which are as many values; 10,000 messages have 60,000 members; no vendor's API has a hundred
      // fields in one request.
      /** Maximum number of values in a body, at all depths. */
      values: 500_000,
      /** Maximum number of members of all objects in a body together. */
      members: 100_000,
      /** Maximum number of members of a body's outermost object. */
      topMembers: 1_000,
    },
    pace: {
      /** Maximum silence while a body arrives, in ms. */
      silenceMs: 30_000,
      /** Time in ms after which a body below the minimum average rate is refused (408). */
      graceMs: 10_000,
      /** Minimum average rate at which a body must arrive. */
      floorBytesPerSecond: 1_024,
    },
    buffers: {
      bytes: read.integer(
        "BUFFER_BYTES",
        512 * mebibyte,
        "Maximum size of all bodies and answers in memory together.",
        {
          min: 1_024,
        },
      ),
      shares: {
        /** Percentage of the memory that one account may use. A single body may exceed it. */
        accountPercent: 50,
        /** Percentage of the memory that one API key may use. A single body may exceed it. */
        tokenPercent: 25,
        /** Maximum bodies of one account that may arrive at the same time. */
        accountBodies: 1_000,
        /** Maximum bodies of one API key that may arrive at the same time. */
        tokenBodies: 500,
      },
    },
  };
}

/** Reads the variable with the hosts of the operator's private network from which files may be fetched. */
export function privateHostsVariable(read: VariableReader): string {
  return read.text(
    "FETCH_PRIVATE_HOSTS",
    "",
    "Hosts of the operator's network from which images may be fetched, separated by commas. Public hosts are always allowed.",
  );
}

/** Settings of a service that calls vendors: values of variables, and constants. */
export type RelayEnv = ReturnType<typeof relayVariables>;

/** Amounts, sizes and times that limit each call. */
export type RelayLimits = Readonly<RelayEnv["limits"]>;
