import { setTimeout as pause } from "node:timers/promises";
import { DiscardPolicy, RetentionPolicy } from "nats";
import { accountKeys, hold, settle } from "@modelgate/accounts";
import { testUsageDraft, until } from "@modelgate/testkit";
import { faultNamed } from "../faults.ts";
import { otherKey, lowBalanceKey, type AlertSetup } from "./setup.ts";

type End = () => Promise<unknown>;

/** Condition that makes an alert fire, similar to the problem that the alert reports. */
export interface Provocation {
  readonly alert: string;
  /** Event that makes the alert fire, for the table in CHAOS.md. */
  readonly by: string;
  begin(setup: AlertSetup): Promise<End | void>;
}

/** Repeats a call, which may fail, until the returned function is called. */
function callRepeatedly(call: () => Promise<unknown>, pauseMs: number): End {
  const state = { on: true };
  const calling = (async () => {
    while (state.on) {
      await call();
      await pause(pauseMs);
    }
  })();
  return async () => {
    state.on = false;
    await calling;
  };
}

/**
 * Creates a condition from a fault of `faults.ts`. What `before` begins is ended as soon as the fault and `after` have
 * begun.
 */
const faultProvocation = (
  alert: string,
  by: string,
  name: string,
  around: { before?(setup: AlertSetup): Promise<End | void>; after?(setup: AlertSetup): Promise<End | void> } = {},
): Provocation => ({
  alert,
  by,
  async begin(setup) {
    const fault = faultNamed(name);
    const endBefore = await around.before?.(setup);
    await fault.begin(setup);
    const stop = await around.after?.(setup);
    await endBefore?.();
    return async () => {
      await stop?.();
      await fault.end?.(setup);
    };
  },
});

/** Creates a condition in which a vendor has a behaviour and is called repeatedly. */
const vendorProvocation = (alert: string, by: string, model: string, step: object): Provocation => ({
  alert,
  by,
  async begin({ ask, suite: { simulator } }) {
    await simulator.script(model, [{ ...step, repeat: true }]);
    const stop = callRepeatedly(() => ask(model), 50);
    return async () => {
      await stop();
      await simulator.script(model, [{ repeat: true }]);
    };
  },
});

/** Request whose answer takes about six seconds. */
const longRequest = {
  stream: true,
  messages: [{ role: "user", content: 'Hello {{simulate: {"chunks": 120, "chunkDelayMs": 50}}}' }],
};
/** A time in ms longer than the leases of holds, and a number of events above the alert's threshold. */
const [beyondLeaseMs, manyEvents] = [4_000, 10_500];

/** Opens streamed calls at the vendor. The returned function waits for their ends. */
async function openCalls({ ask, suite: { simulator } }: AlertSetup, count: number): Promise<End> {
  const requests = async (): Promise<number> => (await simulator.requests("plain")).length;
  const before = await requests();
  const allEnded = Promise.all(Array.from({ length: count }, () => ask("plain", longRequest)));
  await until("the call to reach the vendor", async () => (await requests()) >= before + count);
  return () => allEnded;
}

async function fillOutbox({ redis }: AlertSetup): Promise<void> {
  const settleOne = async (at: number): Promise<void> => {
    const [accountId, callId, tokenId] = ["other", `waits-${at}`, "tok_1"];
    const call = { accountId, callId, tokens: 0 };
    const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString() };
    await hold(redis, { ...call, tokenId, draft, nanos: 1n, floorNanos: 0n, leaseMs: 600_000, outboxBound: 1_000_000 });
    await settle(redis, { ...call, costNanos: 1n, draft });
  };
  const batchSize = 100;
  for (let from = 0; from < manyEvents; from += batchSize)
    await Promise.all(Array.from({ length: batchSize }, (_, at) => settleOne(from + at)));
}

/** Replaces the stream of usage events by one that accepts no messages. */
async function replaceStream({ nats, ask }: AlertSetup): Promise<End> {
  const { streams, consumers } = await nats.jetstreamManager();
  // Unread events would be lost with the stream.
  await until("the ledger to have read everything", async () => {
    const { num_pending: unread, num_ack_pending: unwritten } = await consumers.info("USAGE", "ledger");
    return unread + unwritten === 0;
  });
  const other = {
    name: "OTHER",
    subjects: ["usage.v1.*"],
    max_msg_size: 1,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
  };
  // A service may create the deleted stream again first.
  await until("another stream to have its subjects", async () => {
    await streams.delete("USAGE");
    return streams.add(other).catch(() => undefined);
  });
  await ask("plain");
  return () => streams.delete("OTHER");
}

/** Conditions that make alerts fire within seconds. The last ones have the longest after-effects. */
export const provocations: readonly Provocation[] = [
  {
    alert: "ModelgateRedisMemory",
    by: "`maxmemory` a tenth above what Redis uses",
    async begin({ redis }) {
      const used = Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]);
      await redis.config("SET", "maxmemory", Math.floor(used * 1.1));
      return () => redis.config("SET", "maxmemory", 0);
    },
  },
  faultProvocation("ModelgateLedgerLag", "PostgreSQL stopped, calls go on", "postgres stopped", {
    after: async ({ ask }) => callRepeatedly(() => ask("plain"), 50),
  }),
  {
    alert: "ModelgateStreamMissing",
    by: "the stream USAGE deleted and replaced by a stream that accepts no messages",
    begin: replaceStream,
  },
  {
    alert: "ModelgateHoldNotFound",
    by: "the text service stopped (SIGSTOP) for longer than its leases with streams open, then continued",
    async begin(setup) {
      const over = await openCalls(setup, 4);
      setup.suite.process("text").signal("SIGSTOP");
      await pause(beyondLeaseMs);
      setup.suite.process("text").signal("SIGCONT");
      await over();
    },
  },
  {
    alert: "ModelgateBooksDiverge",
    by: "seven nano-dollars taken from a balance in Redis without a receipt",
    async begin({ redis }) {
      await redis.hincrby(accountKeys.account("other"), "available", -7);
      return () => redis.hincrby(accountKeys.account("other"), "available", 7);
    },
  },
  {
    alert: "ModelgateLowBalance",
    by: "an account with a balance of one cent spends almost all of it",
    async begin({ ask, suite }) {
      for (let status = 200; status === 200;) status = await ask("plain", {}, lowBalanceKey);
      return () => suite.gatectl("account", "top-up", "poor", "100", "--operation-id", "alerts");
    },
  },
  {
    alert: "ModelgateKeyOff",
    by: "`gatectl channel disable`",
    async begin({ suite }) {
      await suite.gatectl("channel", "disable", "silent");
      return () => suite.gatectl("channel", "enable", "silent");
    },
  },
  {
    alert: "ModelgateKeyRefusedToAccount",
    by: "a vendor refuses its key (401) to the calls of one account",
    async begin({ ask, suite }) {
      const stop = callRepeatedly(() => ask("refused", {}, otherKey), 200);
      return async () => {
        await stop();
        await suite.gatectl("channel", "enable", "refused");
      };
    },
  },
  {
    alert: "ModelgateUsageUnpriced",
    by: "calls of a model that has no price for output tokens",
    begin: async ({ ask }) => callRepeatedly(() => ask("half"), 100),
  },
  vendorProvocation("ModelgateUsageCapped", "a vendor reports a million tokens for calls of fifty", "greedy", {
    usage: { inputTokens: 5, outputTokens: 1_000_000 },
  }),
  vendorProvocation("ModelgateUsageEstimated", "a vendor that reports no usage", "silent", { usage: null }),
  vendorProvocation("ModelgateChannelsFail", "a vendor answers 500", "broken", { status: 500 }),
  vendorProvocation("ModelgateBudgetBurnsFast", "the same: its clients get 502 and 503", "broken", { status: 500 }),
  vendorProvocation("ModelgateBudgetBurns", "the same, for longer", "broken", { status: 500 }),
  faultProvocation(
    "ModelgateHoldsSwept",
    "the text service killed (SIGKILL) with sixteen streams open",
    "text killed (SIGKILL)",
    { before: (setup) => openCalls(setup, 16) },
  ),
  faultProvocation(
    "ModelgateServiceGone",
    "the ledger killed (SIGKILL), and not started again",
    "ledger killed (SIGKILL)",
  ),
  faultProvocation("ModelgateStoreUnavailable", "NATS stopped", "nats stopped"),
  faultProvocation("ModelgateEventsNotPublished", `NATS stopped, and ${manyEvents} calls settled`, "nats stopped", {
    after: fillOutbox,
  }),
  {
    alert: "ModelgateSpendRate",
    by: "calls for two dollars each, after a while of calls for a hundredth of a cent",
    begin: async ({ ask }) => callRepeatedly(() => ask("dear"), 50),
  },
];

/** Alerts that cannot be tested, and the reasons. */
export const untestableAlerts: Readonly<Record<string, string>> = {
  ModelgateEventLoopSlow: "a loop that is late does not answer scrapes that come four times a second",
};
