import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Redis } from "ioredis";
import { connect } from "nats";
import { eventStreams } from "@modelgate/contracts";
import {
  handOver,
  startReplica,
  until,
  type LocalBackends,
  type LocalPostgres,
  type ReplicaServer,
  type Shape,
  type Suite,
} from "@modelgate/testkit";
import type { Area, Leaves, Misbehaviour, Ways } from "./area.ts";
import { areas } from "./areas/index.ts";
import { openSlowWay, type SlowWay } from "./slow-way.ts";

/** What faults are made with. */
export interface House {
  readonly suite: Suite<LocalBackends>;
  /** Redis's own, past the slow way. */
  readonly redisPort: number;
  readonly redisWay: SlowWay;
  readonly natsWay: SlowWay;
  /** The ledger's own way to NATS. */
  readonly ledgerWay: SlowWay;
  readonly books: ChaosBooks;
}

/** Where the books of a run are: each engine has faults of its own. */
export type ChaosBooks =
  | { readonly engine: "postgres"; readonly server: LocalPostgres["server"] }
  | { readonly engine: "sqlite"; readonly file: string };

/** Something that goes wrong for a while, for all areas at once. */
export interface Fault {
  readonly name: string;
  /** Which models the clients ask for meanwhile. */
  readonly ways: Ways;
  readonly leaves?: Leaves;
  /** Areas in which there is such a fault; absent: all. */
  readonly within?: (area: Area) => boolean;
  /** The first vendors plainly refuse: going on to the next asks for nothing twice. */
  readonly refusing?: boolean;
  /** The engine of the books that has such a fault; absent: either. */
  readonly engine?: ChaosBooks["engine"];
  /** The layout of the services that has such a fault; absent: either. */
  readonly shape?: Shape;
  /** Streams lose what they held: what was settled is counted by the books, not by them. */
  readonly losesStreams?: boolean;
  /** Redis loses holds: that nothing is held does not say that all is settled. How long calls may take to be charged. */
  readonly settlesWithinMs?: number;
  begin(house: House): Promise<void>;
  end(house: House): Promise<void>;
}

/** How late a slow server's answers are: beyond every time-out that a call has for it. */
const slowMs = 3_000;

/** How long the locker waits for the ledger's own transactions. */
const lockMs = 10_000;

const nothing = (): Promise<void> => Promise.resolve();

type Killed = "edge" | "ledger" | "control" | "simulator" | Area["name"];

const killed = (name: Killed, what: string = name, shape?: Shape): Fault => ({
  name: `${what} killed (SIGKILL)`,
  ways: "two",
  ...(shape === undefined ? {} : { shape }),
  async begin({ suite }) {
    suite.process(name).signal("SIGKILL");
    await suite.process(name).ended;
  },
  end: ({ suite }) => suite.restart(name),
});

const server = (name: "redis" | "nats"): readonly Fault[] => [
  {
    name: `${name} stopped`,
    ways: "two",
    begin: ({ suite }) => suite.backends[name].kill(),
    end: ({ suite }) => suite.backends[name].start(),
  },
  {
    name: `${name} paused`,
    ways: "two",
    async begin({ suite }) {
      suite.backends[name].pause();
    },
    async end({ suite }) {
      suite.backends[name].resume();
    },
  },
  {
    name: `${name} slow (answers ${slowMs / 1_000} s late)`,
    ways: "two",
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

/** The books' server is away, or another process has their file locked: calls go on, and what they cost waits. */
function booksAway(): readonly Fault[] {
  let locker: DatabaseSync | undefined;
  return [
    {
      name: "postgres stopped",
      engine: "postgres",
      ways: "two",
      begin: async ({ books }) => (books.engine === "postgres" ? books.server.kill() : undefined),
      end: async ({ books }) => (books.engine === "postgres" ? books.server.start() : undefined),
    },
    {
      name: "sqlite file locked",
      engine: "sqlite",
      ways: "two",
      async begin({ books }) {
        if (books.engine !== "sqlite") return;
        locker = new DatabaseSync(books.file, { timeout: lockMs });
        locker.exec("begin immediate");
      },
      async end() {
        locker?.close();
      },
    },
  ];
}

/** Asks Redis one thing by a connection of its own. */
async function onRedis<T>({ suite }: House, step: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(suite.backends.redisUrl);
  try {
    return await step(redis);
  } finally {
    redis.disconnect();
  }
}

/** Where Redis keeps its log. */
async function logFolder(house: House): Promise<string> {
  return join(await onRedis(house, async (redis) => (await redis.config("GET", "dir"))[1] ?? ""), "appendonlydir");
}

/** Beyond the longest pause of a service between two tries to settle, and the ledger's wait. */
const lateMs = 15_000;

/** Redis loses all it has, or the end of it. */
const redisLost: readonly Fault[] = [
  {
    name: "redis emptied (FLUSHALL)",
    ways: "two",
    settlesWithinMs: lateMs,
    begin: (house) => onRedis(house, async (redis) => void (await redis.flushall())),
    end: nothing,
  },
  {
    name: "redis comes back on an empty volume",
    ways: "two",
    settlesWithinMs: lateMs,
    async begin(house) {
      const folder = await logFolder(house);
      await house.suite.backends.redis.kill();
      rmSync(folder, { recursive: true, force: true });
    },
    end: ({ suite }) => suite.backends.redis.start(),
  },
  redisBehind("redis comes back without the last second of its log", 1_000),
  replicaPromoted(3_000),
];

/** Redis goes on for a while, and comes back as its log was before that: with what was open then, and without the rest. */
function redisBehind(name: string, byMs: number): Fault {
  let cut = { file: "", bytes: 0 };
  return {
    name,
    ways: "two",
    settlesWithinMs: lateMs,
    async begin(house) {
      const folder = await logFolder(house);
      const newest = readdirSync(folder)
        .filter((part) => part.endsWith(".incr.aof"))
        .sort()
        .at(-1);
      const file = join(folder, newest ?? "");
      cut = { file, bytes: statSync(file).size };
      await new Promise((resolve) => setTimeout(resolve, byMs));
      await house.suite.backends.redis.kill();
      truncateSync(cut.file, cut.bytes);
      await house.suite.backends.redis.start();
    },
    end: nothing,
  };
}

/** A replica takes the place of its primary that has heard of it late: what the primary did last is lost. */
function replicaPromoted(behindMs: number): Fault {
  let replica: ReplicaServer | undefined;
  return {
    name: `redis replaced by a replica that is ${behindMs / 1_000} s behind`,
    ways: "two",
    settlesWithinMs: lateMs,
    async begin({ suite, redisPort, redisWay }) {
      await using link = await openSlowWay(redisPort);
      replica = await startReplica(link.port);
      link.delayMs = behindMs;
      await new Promise((resolve) => setTimeout(resolve, behindMs + 500));
      await suite.backends.redis.kill();
      await replica.promote();
      redisWay.leadTo(replica.port);
    },
    async end({ suite, redisPort, redisWay }) {
      if (replica === undefined) return;
      await suite.backends.redis.start();
      await handOver(replica.port, redisPort);
      redisWay.leadTo(redisPort);
      await replica[Symbol.asyncDispose]();
    },
  };
}

/** How long the ledger has from the delivery of events to their commit, before it is killed. */
const commitMs = 500;

/** The ledger dies when its books have events of which JetStream has not heard so: they are delivered again. */
const killedUnacknowledged: Fault = {
  name: "ledger killed between commit and acknowledgement",
  ways: "two",
  async begin({ suite, ledgerWay }) {
    const connection = await connect({ servers: suite.backends.natsUrl });
    const { consumers } = await connection.jetstreamManager();
    ledgerWay.losesRequests = true;
    const waits = async (): Promise<boolean> => (await consumers.info("USAGE", "ledger")).num_ack_pending > 0;
    await until("events to be delivered and not acknowledged", waits, 30_000);
    await new Promise((resolve) => setTimeout(resolve, commitMs));
    suite.process("ledger").signal("SIGKILL");
    await suite.process("ledger").ended;
    await connection.close();
    ledgerWay.losesRequests = false;
  },
  end: ({ suite }) => suite.restart("ledger"),
};

/** JetStream loses what it holds. */
const streamsLost: readonly Fault[] = [
  {
    name: "streams of events deleted",
    ways: "two",
    losesStreams: true,
    async begin({ suite }) {
      const connection = await connect({ servers: suite.backends.natsUrl });
      const { streams } = await connection.jetstreamManager();
      for (const { name } of Object.values(eventStreams)) await streams.delete(name);
      await connection.close();
    },
    end: nothing,
  },
  {
    name: "nats comes back without its store",
    ways: "two",
    losesStreams: true,
    async begin({ suite }) {
      const { nats } = suite.backends;
      const words = readFileSync(`/proc/${nats.pid()}/cmdline`, "utf8").split("\0");
      const store = words[words.indexOf("-sd") + 1] ?? "";
      await nats.kill();
      rmSync(join(store, "jetstream"), { recursive: true, force: true });
    },
    end: ({ suite }) => suite.backends.nats.start(),
  },
];

/** The first vendors misbehave, in the words of the simulator's README. */
const vendors = (name: string, ways: Ways, directiveOf: (area: Area) => object): Fault => ({
  name: `vendors ${name}`,
  ways,
  begin: ({ suite }) => script(suite, (area) => ({ ...directiveOf(area), repeat: true })),
  end: ({ suite }) => script(suite, () => ({ repeat: true })),
});

async function script({ simulator }: Suite, stepOf: (area: Area) => object): Promise<void> {
  await Promise.all(
    areas.flatMap((area) => area.vendors.map(({ name }) => simulator.script(`${name}-main`, [stepOf(area)]))),
  );
}

const misbehaving = (name: string, what: Misbehaviour): Fault =>
  vendors(name, "lone", ({ misbehaves }) => misbehaves[what]);

const leaving = (leaves: Leaves): Fault => ({
  name: `clients leave ${leaves}`,
  ways: "two",
  leaves,
  begin: nothing,
  end: nothing,
});

const storm = { status: 429, retryAfter: "1" };

/** Every fault, one after the other. */
export const faults: readonly Fault[] = [
  { name: "none", ways: "two", begin: nothing, end: nothing },
  ...(["edge", ...areas.map(({ name }) => name), "ledger", "control"] as const).map((name) =>
    killed(name, name, "apart"),
  ),
  killed("edge", "the process of all services", "one"),
  killed("simulator", "every vendor"),
  ...server("nats"),
  ...server("redis"),
  killedUnacknowledged,
  ...booksAway(),
  ...redisLost,
  ...streamsLost,
  misbehaving("stall in their answers", "stalls"),
  misbehaving("cut their answers", "cuts"),
  vendors("hang up before they answer", "two", () => ({ closeBeforeHead: true })),
  { ...vendors("storm with 429, others there", "two", () => storm), refusing: true },
  { ...vendors("storm with 429, no others", "lone", () => storm), refusing: true },
  {
    name: "vendors lie about their length",
    ways: "lied",
    within: ({ hasLengths }) => hasLengths === true,
    begin: nothing,
    end: nothing,
  },
  ...(["while sending", "before the answer", "in the answer"] as const).map(leaving),
];
