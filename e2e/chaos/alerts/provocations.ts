import { DiscardPolicy, RetentionPolicy } from "nats";
import { accountKeys, hold, settle } from "@modelgate/accounts";
import { draftOf, until } from "@modelgate/testkit";
import { otherKey, poorKey, type AlertHouse } from "./house.ts";

/** Ends what was provoked. */
type End = () => Promise<unknown>;

/** What makes an alert fire, as near as can be to what it is about. */
export interface Provocation {
  readonly alert: string;
  /** In words, for the table. */
  readonly by: string;
  begin(house: AlertHouse): Promise<End>;
}

const nothing: End = () => Promise.resolve();

/** Asks again and again until it is ended; failures are what is wanted. */
function keepAsking(ask: () => Promise<unknown>, pauseMs: number): End {
  const state = { on: true };
  const asking = (async () => {
    while (state.on) {
      await ask();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  return async () => {
    state.on = false;
    await asking;
  };
}

/** A vendor answers so for good, and is asked again and again. */
const vendorOf = (model: string, step: object, alert: string, by: string): Provocation => ({
  alert,
  by,
  async begin({ ask, suite: { simulator } }) {
    await simulator.script(model, [{ ...step, repeat: true }]);
    const stop = keepAsking(() => ask(model), 50);
    return async () => {
      await stop();
      await simulator.script(model, [{ repeat: true }]);
    };
  },
});

/** A streamed request that takes about six seconds. */
const long = {
  stream: true,
  messages: [{ role: "user", content: 'Hello {{simulate: {"chunks": 120, "chunkDelayMs": 50}}}' }],
};
/** Longer than the leases of holds in this house. */
const beyondLeaseMs = 4_000;
/** More events than may wait without an alert. */
const manyEvents = 10_500;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls of the text service whose answers have begun; `over` is when all have ended. */
async function openCalls(
  { ask, suite: { simulator } }: AlertHouse,
  count: number,
): Promise<{ readonly over: Promise<unknown> }> {
  const asked = async (): Promise<number> => (await simulator.requests("plain")).length;
  const before = await asked();
  const over = Promise.all(Array.from({ length: count }, () => ask("plain", long)));
  await until("the vendor to be asked", async () => (await asked()) >= before + count);
  return { over }; // a promise by itself would be awaited
}

/** Settles calls whose events are not published. */
async function fillOutbox({ redis }: AlertHouse): Promise<void> {
  const settleOne = async (at: number): Promise<void> => {
    const [accountId, callId, tokenId] = ["other", `waits-${at}`, "tok_1"];
    const draft = { ...draftOf(accountId, callId), time: new Date().toISOString() };
    await hold(redis, {
      accountId,
      callId,
      draft,
      tokenId,
      nanos: 1n,
      floorNanos: 0n,
      tokens: 0,
      leaseMs: 600_000,
      outboxBound: 1_000_000,
    });
    await settle(redis, { accountId, callId, costNanos: 1n, tokens: 0, draft });
  };
  const atOnce = 100;
  for (let from = 0; from < manyEvents; from += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, at) => settleOne(from + at)));
}

/** Every alert that can be made to fire within seconds; the last ones leave most behind. */
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
  {
    alert: "ModelgateLedgerLag",
    by: "PostgreSQL stopped, calls go on",
    async begin({ ask, postgres }) {
      await postgres.kill();
      const stop = keepAsking(() => ask("plain"), 50);
      return async () => {
        await stop();
        await postgres.start();
      };
    },
  },
  {
    alert: "ModelgateStreamMissing",
    by: "the stream USAGE deleted, and another one in its place that takes nothing",
    async begin({ nats, ask }) {
      const { streams, consumers } = await nats.jetstreamManager();
      // What the ledger has not read yet would be lost with it.
      await until("the ledger to have read all", async () => {
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
      // A service that misses the stream first makes it anew.
      await until("another stream to have its subjects", async () => {
        await streams.delete("USAGE");
        return streams.add(other).catch(() => undefined);
      });
      await ask("plain");
      return () => streams.delete("OTHER");
    },
  },
  {
    alert: "ModelgateHoldNotFound",
    by: "the text service stopped (SIGSTOP) for longer than its leases with streams open, then continued",
    async begin(house) {
      const { over } = await openCalls(house, 4);
      house.suite.process("text").signal("SIGSTOP");
      await pause(beyondLeaseMs);
      house.suite.process("text").signal("SIGCONT");
      await over;
      return nothing;
    },
  },
  {
    alert: "ModelgateBooksDiverge",
    by: "seven nano-dollars taken from a balance behind the books' back",
    async begin({ redis }) {
      await redis.hincrby(accountKeys.account("other"), "available", -7);
      return () => redis.hincrby(accountKeys.account("other"), "available", 7);
    },
  },
  {
    alert: "ModelgateLowBalance",
    by: "an account spends all but a little of its cent",
    async begin({ ask, suite }) {
      for (let status = 200; status === 200;) status = await ask("plain", {}, poorKey);
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
      const stop = keepAsking(() => ask("refused", {}, otherKey), 200);
      return async () => {
        await stop();
        await suite.gatectl("channel", "enable", "refused");
      };
    },
  },
  {
    alert: "ModelgateUsageUnpriced",
    by: "calls of a model whose price leaves out what it writes",
    async begin({ ask }) {
      return keepAsking(() => ask("half"), 100);
    },
  },
  vendorOf(
    "greedy",
    { usage: { inputTokens: 5, outputTokens: 1_000_000 } },
    "ModelgateUsageCapped",
    "a vendor reports a million tokens for calls of fifty",
  ),
  vendorOf("silent", { usage: null }, "ModelgateUsageEstimated", "a vendor that reports no usage"),
  vendorOf("broken", { status: 500 }, "ModelgateChannelsFail", "a vendor answers 500"),
  vendorOf("broken", { status: 500 }, "ModelgateBudgetBurnsFast", "the same: its clients get 502 and 503"),
  vendorOf("broken", { status: 500 }, "ModelgateBudgetBurns", "the same, for longer"),
  {
    alert: "ModelgateHoldsSwept",
    by: "the text service killed (SIGKILL) with sixteen streams open",
    async begin(house) {
      const { over } = await openCalls(house, 16);
      house.suite.process("text").signal("SIGKILL");
      await house.suite.process("text").ended;
      await over;
      return () => house.suite.restart("text");
    },
  },
  {
    alert: "ModelgateServiceGone",
    by: "the ledger killed (SIGKILL), and not started again",
    async begin({ suite }) {
      suite.process("ledger").signal("SIGKILL");
      await suite.process("ledger").ended;
      return () => suite.restart("ledger");
    },
  },
  {
    alert: "ModelgateStoreAway",
    by: "NATS stopped",
    async begin({ suite }) {
      await suite.backends.nats.kill();
      return () => suite.backends.nats.start();
    },
  },
  {
    alert: "ModelgateEventsNotPublished",
    by: `NATS stopped, and ${manyEvents} calls settled`,
    async begin(house) {
      await house.suite.backends.nats.kill();
      await fillOutbox(house);
      return () => house.suite.backends.nats.start();
    },
  },
  {
    alert: "ModelgateSpendRate",
    by: "calls for two dollars each, after a while of calls for a hundredth of a cent",
    async begin({ ask }) {
      return keepAsking(() => ask("dear"), 50);
    },
  },
];

/** Alerts that no provocation makes fire, and why. */
export const unprovoked: Readonly<Record<string, string>> = {
  ModelgateEventLoopSlow: "a loop that is late does not answer scrapes that come four times a second",
};
