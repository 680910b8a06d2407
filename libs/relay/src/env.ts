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
      maxAttempts: 4,
      /** Time in ms after which no further attempt begins. */
      budgetMs: 60_000,
    },
    metricsTop: read.integer(
      "METRICS_TOP",
      0,
      "Number of accounts, and number of groups, that metrics show by name. They are those with the most calls. With 0, metrics show none.",
      { max: 1_000 },
    ),
    /** Time in ms after which the seats of a service that died are free again. */
    channelLeaseMs: 30_000,
    /** Time in ms after a conversation's last call for which its route is stored. */
    affinityMs: 6 * 3_600_000,
    /** Time in ms after which the weight of a measured speed has fallen to 37 %, for models with `choice: fastest`. */
    fastestDecayMs: 60_000,
    /** Time in ms for which an account may refer to objects that a vendor stored for it (containers, files, items). */
    createdIdLifetimeMs: 30 * 24 * 3_600_000,
    detachedAnswers: {
      /** Maximum number of answers that are read at the same time after their clients disconnected. */
      maxAnswers: 256,
      /** Maximum ms for which an answer is read after its client disconnected. */
      ms: 60_000,
    },
  };
}

function limitVariables(read: VariableReader, outputTokens: number) {
  return {
    /** Output tokens per answer or image for which money is held if there is no output limit. */
    outputTokens,
    /** Output tokens of a text stream for which money is held at first, and by which the hold is extended. */
    stepTokens: 2_048,
    /** Calls of vendor-side tools for which money is held, and which are allowed, if the client sets no limit. */
    toolCalls: 16,
    /** Input tokens for which money is held per call of a vendor-side tool, because the model reads its results. */
    toolTokens: 4_096,
    /** Lease of a hold in ms. If it is not renewed, the ledger settles the call. */
    leaseMs: 15_000,
    /** Maximum events in the outbox of one shard. Beyond it, calls are refused (503). */
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
    /** Maximum ms for which the chunks of a burst are collected; 0: never. */
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
      /** Maximum ms until a body is complete. */
      totalMs: 600_000,
      depth: 256,
      // Real requests stay below these limits. An embeddings request has at most 300,000 token ids, each of which is one
      // value. A chat with 10,000 messages has about 60,000 members.
      values: 500_000,
      members: 100_000,
      /** Maximum number of members of the outermost object. */
      topMembers: 1_000,
    },
    pace: {
      /** Maximum ms for which the client may send nothing. */
      silenceMs: 30_000,
      /** Time in ms after which a body below the minimum speed is refused (408). */
      graceMs: 10_000,
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
        /** Percentage of the memory for one account. Its only body may exceed it. */
        accountPercent: 50,
        /** Percentage of the memory for one API key. Its only body may exceed it. */
        tokenPercent: 25,
        /** Maximum bodies of one account that arrive at the same time. */
        accountBodies: 1_000,
        /** Maximum bodies of one API key that arrive at the same time. */
        tokenBodies: 500,
      },
    },
  };
}

/** Reads the hosts of the operator's network from which files may be fetched. */
export function privateHostsVariable(read: VariableReader): string {
  return read.text(
    "FETCH_PRIVATE_HOSTS",
    "",
    "Hosts of the operator's network from which images may be fetched, separated by commas. Public hosts are always allowed.",
  );
}

/** Settings of a service that calls vendors. */
export type RelayEnv = ReturnType<typeof relayVariables>;

/** Amounts, sizes and times that limit each call. */
export type RelayLimits = Readonly<RelayEnv["limits"]>;
