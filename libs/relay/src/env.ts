import { stateVariables, type VariableReader } from "@modelgate/platform";

const mebibyte = 1024 * 1024;

/** Defaults that a service may have of its own. */
export interface RelayDefaults {
  readonly bodyBytes?: number;
  readonly outputTokens?: number;
}

/** What every service reads that calls vendors. */
export function relayVariables(
  read: VariableReader,
  { bodyBytes = 64 * mebibyte, outputTokens = 16_384 }: RelayDefaults = {},
) {
  return {
    ...stateVariables(read),
    ...bodyVariables(read, bodyBytes),
    limits: limitVariables(read, outputTokens),
    attempts: {
      mostAttempts: read.integer("ATTEMPTS", 4, "Attempts of one call.", { min: 1, max: 100 }),
      budgetMs: read.integer("ATTEMPT_BUDGET_MS", 60_000, "Time after which no further attempt begins.", { min: 1 }),
    },
    metricsTop: read.integer(
      "METRICS_TOP",
      0,
      "Accounts, and groups, with the most calls that the metrics show by name; 0: none.",
      { max: 1_000 },
    ),
    channelLeaseMs: read.integer(
      "CHANNEL_LEASE_MS",
      30_000,
      "Lease of a seat of a channel or key; the seats of a service that died are free after it.",
      { min: 300 },
    ),
    affinityMs: read.integer(
      "AFFINITY_MS",
      6 * 3_600_000,
      "How long a conversation's channel is remembered after its last call.",
      { min: 1_000 },
    ),
    fastestDecayMs: read.integer(
      "FASTEST_DECAY_MS",
      60_000,
      "How fast what was seen of channels' speeds fades, for models of `choice: fastest`: a third is left after this time.",
      { min: 100 },
    ),
    madeIdLifetimeMs: read.integer(
      "MADE_ID_LIFETIME_MS",
      30 * 24 * 3_600_000,
      "How long an account may refer to what a vendor made for it in the vendor's store: containers, files, items.",
      { min: 1_000 },
    ),
    heardOut: {
      most: read.integer(
        "LEFT_ANSWERS",
        256,
        "Answers that are awaited at once though their clients have left: they report what is to be paid.",
        { max: 100_000 },
      ),
      ms: read.integer("LEFT_ANSWER_MS", 60_000, "How long each of them is awaited.", { min: 10 }),
    },
  };
}

function limitVariables(read: VariableReader, outputTokens: number) {
  return {
    outputTokens: read.integer(
      "HOLD_OUTPUT_TOKENS",
      outputTokens,
      "Output tokens of an answer, or of an image, held for where neither the client nor the model's `maxOutputTokens` bounds them.",
      { min: 1 },
    ),
    stepTokens: read.integer(
      "HOLD_STEP_TOKENS",
      2_048,
      "Output tokens of a text stream held for at first, and in each further step while it runs.",
      { min: 256 },
    ),
    toolCalls: read.integer(
      "HOLD_TOOL_CALLS",
      16,
      "Calls of vendor-side tools held for, and sent to the vendor as their bound, where the client sets none.",
      { min: 1, max: 1_000 },
    ),
    toolTokens: read.integer(
      "HOLD_TOOL_TOKENS",
      4_096,
      "Input tokens held for with each of those calls: the model reads what the tool finds.",
      { max: 1_000_000 },
    ),
    leaseMs: read.integer(
      "HOLD_LEASE_MS",
      15_000,
      "Lease of a hold, renewed while its call runs; the ledger settles the calls of a service that died after it.",
      { min: 1_000 },
    ),
    outboxBound: read.integer(
      "OUTBOX_BOUND",
      100_000,
      "Events that may wait in one shard's outbox before calls are refused (503).",
      { min: 1 },
    ),
    heartbeatMs: read.integer("HEARTBEAT_MS", 15_000, "Silence of a vendor after which a stream gets a sign of life.", {
      min: 10,
    }),
    gatherMs: read.integer(
      "STREAM_GATHER_MS",
      1,
      "How long the parts of a stream are gathered that come sooner than that after those before; 0: each goes on as it comes.",
      { max: 100 },
    ),
    // 2,048 embeddings of 3,072 floats in JSON are some 130 MB at most.
    answerBytes: read.integer("ANSWER_BYTES", 128 * mebibyte, "Largest answer that is not a stream.", { min: 1_024 }),
  };
}

function bodyVariables(read: VariableReader, bodyBytes: number) {
  return {
    body: {
      maxBytes: read.integer("BODY_BYTES", bodyBytes, "Largest JSON body of a request, decompressed.", { min: 1_024 }),
      totalMs: read.integer("BODY_TOTAL_MS", 600_000, "Longest time for a whole body to arrive.", { min: 100 }),
      depth: read.integer("BODY_DEPTH", 256, "Deepest nesting of a body.", { min: 8, max: 5_000 }),
      // Real requests stay far below: 300,000 tokens of embeddings, as many as vendors take at once, are as many values;
      // 10,000 messages have 60,000 members. A request has fields of which no vendor knows a hundred.
      values: read.integer("BODY_VALUES", 500_000, "Most values of a body, however deep.", { min: 100 }),
      members: read.integer("BODY_MEMBERS", 100_000, "Most members of all objects of a body.", { min: 100 }),
      topMembers: read.integer("BODY_FIELDS", 1_000, "Most members of a body's outermost object.", { min: 100 }),
    },
    pace: {
      silenceMs: read.integer("BODY_SILENCE_MS", 30_000, "Longest silence while a body arrives.", { min: 10 }),
      graceMs: read.integer(
        "BODY_GRACE_MS",
        10_000,
        "Time after which a body must have arrived at the least rate on average, or is refused (408).",
        { min: 10 },
      ),
      floorBytesPerSecond: read.integer(
        "BODY_FLOOR_BYTES_PER_SECOND",
        1_024,
        "The least rate at which a body arrives.",
      ),
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
        accountPercent: read.integer("BUFFER_ACCOUNT_PERCENT", 50, "Share of that memory that one account may hold.", {
          min: 1,
          max: 100,
        }),
        tokenPercent: read.integer(
          "BUFFER_TOKEN_PERCENT",
          25,
          "Share of that memory that one token may hold; its only body may be as large as any.",
          { min: 1, max: 100 },
        ),
        accountBodies: read.integer("ARRIVING_PER_ACCOUNT", 1_000, "Bodies of one account that may arrive at once.", {
          min: 1,
        }),
        tokenBodies: read.integer("ARRIVING_PER_TOKEN", 500, "Bodies of one token that may arrive at once.", {
          min: 1,
        }),
      },
    },
  };
}

/** The values of the variables that every service reads that calls vendors. */
export type RelayEnv = ReturnType<typeof relayVariables>;

/** Bounds of a call's life. */
export type RelayLimits = Readonly<RelayEnv["limits"]>;
