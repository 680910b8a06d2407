import type { LocalBackends, Suite } from "@modelgate/testkit";
import type { Leaves } from "./clients.ts";
import type { SlowWay } from "./slow-way.ts";

/** What faults are made with. */
export interface House {
  readonly suite: Suite<LocalBackends>;
  readonly redisWay: SlowWay;
  readonly natsWay: SlowWay;
}

/** Something that goes wrong for a while. */
export interface Fault {
  readonly name: string;
  /** Which clients ask meanwhile: "chat" has a second channel, "lone" has one only, "lied" a vendor that lies. */
  readonly model: "chat" | "lone" | "lied";
  readonly leaves?: Leaves;
  begin(house: House): Promise<void>;
  end(house: House): Promise<void>;
}

/** How late a slow server's answers are: beyond every time-out that a call has for it. */
const slowMs = 3_000;

const nothing = (): Promise<void> => Promise.resolve();

const killed = (name: "edge" | "text" | "ledger" | "control" | "simulator"): Fault => ({
  name: `${name === "simulator" ? "every vendor" : name} killed (SIGKILL)`,
  model: "chat",
  async begin({ suite }) {
    suite.process(name).signal("SIGKILL");
    await suite.process(name).ended;
  },
  end: ({ suite }) => suite.restart(name),
});

const server = (name: "redis" | "nats"): readonly Fault[] => [
  {
    name: `${name} stopped`,
    model: "chat",
    begin: ({ suite }) => suite.backends[name].kill(),
    end: ({ suite }) => suite.backends[name].start(),
  },
  {
    name: `${name} paused`,
    model: "chat",
    async begin({ suite }) {
      suite.backends[name].pause();
    },
    async end({ suite }) {
      suite.backends[name].resume();
    },
  },
  {
    name: `${name} slow (answers ${slowMs / 1_000} s late)`,
    model: "chat",
    async begin(house) {
      wayOf(house, name).delayMs = slowMs;
    },
    async end(house) {
      wayOf(house, name).delayMs = 0;
    },
  },
];

function wayOf({ redisWay, natsWay }: House, name: "redis" | "nats"): SlowWay {
  return name === "redis" ? redisWay : natsWay;
}

/** The first vendor misbehaves, in the words of the simulator's README. */
const vendor = (name: string, model: Fault["model"], directive: object): Fault => ({
  name,
  model,
  begin: ({ suite }) => suite.simulator.script("main", [{ ...directive, repeat: true }]),
  end: ({ suite }) => suite.simulator.script("main", [{ repeat: true }]),
});

const leaving = (leaves: Leaves): Fault => ({
  name: `clients leave ${leaves}`,
  model: "chat",
  leaves,
  begin: nothing,
  end: nothing,
});

/** Every fault, one after the other. */
export const faults: readonly Fault[] = [
  { name: "none", model: "chat", begin: nothing, end: nothing },
  ...(["edge", "text", "ledger", "control", "simulator"] as const).map(killed),
  ...server("nats"),
  ...server("redis"),
  vendor("a vendor stalls in its streams", "lone", { chunks: 10, stallAfterChunks: 3, delayMs: 30 }),
  vendor("a vendor cuts its streams", "lone", { chunks: 10, cutAfterChunks: 3 }),
  vendor("a vendor hangs up before it answers", "chat", { closeBeforeHead: true }),
  vendor("a storm of 429, another channel there", "chat", { status: 429, retryAfter: "1" }),
  vendor("a storm of 429, no other channel", "lone", { status: 429, retryAfter: "1" }),
  { name: "a vendor lies about its length", model: "lied", begin: nothing, end: nothing },
  ...(["while sending", "before the answer", "in the answer"] as const).map(leaving),
];
