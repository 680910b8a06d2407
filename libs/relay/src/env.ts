import { stateVariables, type VariableReader } from "@modelgate/platform";

const mebibyte = 1024 * 1024;

/** Defaults that a service may have of its own. */
export interface RelayDefaults {
  readonly bodyBytes?: number;
  readonly outputTokens?: number;
}

/** Variables of every service that calls vendors. */
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
    /** Lease of a seat of a channel or key; the seats of a service that died are free after it. */
    channelLeaseMs: 30_000,
    /** Time after its last call for which a conversation's channel is remembered. */
    affinityMs: 6 * 3_600_000,
    /** Time after which a third is left of a measured speed of a channel, for models of `choice: fastest`. */
    fastestDecayMs: 60_000,
    /** Time for which an account may refer to what a vendor made for it in the vendor's store: containers, files, items. */
    madeIdLifetimeMs: 30 * 24 * 3_600_000,
    detachedAnswers: {
      /** Answers that are read to their end at once though their clients have left: they report what is to be paid. */
      most: 256,
      /** Longest wait for each of them. */
      ms: 60_000,
    },
  };
}

function limitVariables(read: VariableReader, outputTokens: number) {
  return {
    /** Output tokens of an answer, or of an image, held for where neither the client nor the model's `maxOutputTokens` bounds them. */
    outputTokens,
    /** Output tokens of a text stream held for at first, and in each further step while it runs. */
    stepTokens: 2_048,
    /** Calls of vendor-side tools held for, and sent to the vendor as their bound, where the client sets none. */
    toolCalls: 16,
    /** Input tokens held for with each of those calls: the model reads what the tool finds. */
    toolTokens: 4_096,
    /** Lease of a hold, renewed while its call runs; the ledger settles the calls of a service that died after it. */
    leaseMs: 15_000,
    /** Events that may wait in one shard's outbox before calls are refused (503). */
    outboxBound: 100_000,
    heartbeatMs: read.integer("HEARTBEAT_MS", 15_000, "Silence of a vendor after which a stream gets a sign of life.", {
      min: 10,
      max: 30_000, // half of what the edge waits for one
    }),
    /** Time for which parts of a stream are gathered that come in one burst; 0: each goes on as it comes. */
    gatherMs: 1,
    /** Largest answer that is not a stream: 2,048 embeddings of 3,072 floats in JSON are some 130 MB at most. */
    answerBytes: 128 * mebibyte,
  };
}

function bodyVariables(read: VariableReader, bodyBytes: number) {
  return {
    body: {
      maxBytes: read.integer("BODY_BYTES", bodyBytes, "Largest JSON body of a request, decompressed.", { min: 1_024 }),
      /** Longest time for a whole body to arrive. */
      totalMs: 600_000,
      /** Deepest nesting of a body. */
      depth: 256,
      // Real requests stay far below: 300,000 tokens of embeddings, as many as vendors take at once, are as many values;
      // 10,000 messages have 60,000 members. A request has fields of which no vendor knows a hundred.
      /** Maximum values of a body, however deep. */
      values: 500_000,
      /** Maximum members of all objects of a body. */
      members: 100_000,
      /** Maximum members of a body's outermost object. */
      topMembers: 1_000,
    },
    pace: {
      /** Longest silence while a body arrives. */
      silenceMs: 30_000,
      /** Time after which a body must have arrived at the least rate on average, or is refused (408). */
      graceMs: 10_000,
      /** The least rate at which a body arrives. */
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
        /** Share of that memory that one account may hold. */
        accountPercent: 50,
        /** Percentage of that memory that one token may hold. A body that is the token's only one may exceed it. */
        tokenPercent: 25,
        /** Bodies of one account that may arrive at once. */
        accountBodies: 1_000,
        /** Bodies of one token that may arrive at once. */
        tokenBodies: 500,
      },
    },
  };
}

/** The hosts of the operator's own network that files may be fetched from, for services that fetch them. */
export function privateHostsVariable(read: VariableReader): string {
  return read.text(
    "FETCH_PRIVATE_HOSTS",
    "",
    "Hosts of the operator's own network that images may be fetched from, separated by commas.",
  );
}

/** The values of the variables that every service reads that calls vendors. */
export type RelayEnv = ReturnType<typeof relayVariables>;

/** Bounds of a call's life. */
export type RelayLimits = Readonly<RelayEnv["limits"]>;
