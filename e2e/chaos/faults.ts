import { rmSync, truncateSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import {
  moveRedisData,
  openSlowProxy,
  startReplica,
  type LocalBackends,
  type LocalPostgres,
  type ReplicaServer,
  type Shape,
  type SlowProxy,
  type Suite,
} from "@modelgate/testkit";
import type { Area, DisconnectTime, ChannelCount } from "./area.ts";
import { areas } from "./areas.ts";
import { logFolder, newestLog, onRedis } from "./redis-log.ts";
import { killBeforeAckFault, streamLossFaults } from "./stream-faults.ts";

export interface ChaosSetup {
  readonly suite: Suite<LocalBackends>;
  /** Port of Redis without the proxy. */
  readonly redisPort: number;
  readonly redisProxy: SlowProxy;
  readonly natsProxy: SlowProxy;
  /** Proxy to NATS that only the ledger uses. */
  readonly ledgerNatsProxy: SlowProxy;
  /** Database server, or file. */
  readonly books: { readonly server: LocalPostgres["server"] } | { readonly file: string };
}

/** Database engine of the books. */
export type Engine = "postgres" | "sqlite";

/** Fault that lasts for a limited time. Afterwards no event may be lost or charged twice. */
export interface Fault {
  readonly name: string;
  begin(setup: ChaosSetup): Promise<unknown>;
  end?(setup: ChaosSetup): Promise<unknown>;
  /** Matches the failures that clients may see. */
  readonly allowedFailures?: RegExp;
  /** Area whose clients may see failures, if other clients may not. */
  readonly failuresIn?: Area["name"];
  /** Areas in which one answer per client may stay uncharged, because its service was killed before settling. */
  readonly mayStayUncharged?: readonly Area["name"][];
  readonly channelCount?: ChannelCount;
  readonly disconnects?: DisconnectTime;
  /** True if the channel `main` of each vendor refuses all requests. Repeated tasks are then counted on the other channels only. */
  readonly refusing?: true;
  /** Database engine and layout to which the fault applies; absent if it applies to all. */
  readonly engine?: Engine;
  readonly shape?: Shape;
  /** True if the streams lose events, so that the books are compared instead. */
  readonly losesStreams?: true;
  /** True if Redis loses data, which is then restored from the books. */
  readonly losesRedis?: true;
  /** True if `npm test` includes the fault. */
  readonly brief?: true;
}

const [slowMs, lockMs] = [3_000, 10_000];

type KillableProcess = "edge" | "ledger" | "control" | "simulator" | Area["name"];

async function kill({ suite }: ChaosSetup, name: KillableProcess): Promise<void> {
  suite.process(name).signal("SIGKILL");
  await suite.process(name).ended;
}

const killFault = (name: KillableProcess, more: Partial<Fault>): Fault => ({
  name: `${name} killed (SIGKILL)`,
  begin: (setup) => kill(setup, name),
  end: ({ suite }) => suite.restart(name),
  ...more,
});

const cutFailures = /no answer|cut|1006|task did not end/;
const killedFailures = /503|error|cut|1012|task did not end/;
const unavailableFailures = /503|error/;

const killFaults: readonly Fault[] = [
  killFault("edge", { shape: "apart", allowedFailures: cutFailures }),
  ...areas.map(({ name }) => killFault(name, { shape: "apart", allowedFailures: killedFailures, failuresIn: name })),
  killFault("ledger", { shape: "apart" }),
  killFault("control", { shape: "apart" }),
  killBeforeAckFault({
    name: "the process of all services killed (SIGKILL)",
    shape: "one",
    allowedFailures: cutFailures,
    mayStayUncharged: ["audio", "realtime"],
    brief: true,
  }),
  killFault("simulator", {
    name: "every vendor killed (SIGKILL)",
    allowedFailures: /50[234]|error|cut|1011|task failed/,
  }),
];

/** Returns faults in which a server is stopped, paused or slow. Clients must not see faults of NATS. */
function serverFaults(name: "redis" | "nats"): readonly Fault[] {
  const visibleFailures = name === "redis" ? { allowedFailures: unavailableFailures } : {};
  const proxyOf = ({ redisProxy, natsProxy }: ChaosSetup): SlowProxy => (name === "redis" ? redisProxy : natsProxy);
  return [
    {
      name: `${name} stopped`,
      ...visibleFailures,
      ...(name === "nats" ? { brief: true } : {}),
      begin: ({ suite }) => suite.backends[name].kill(),
      end: ({ suite }) => suite.backends[name].start(),
    },
    {
      name: `${name} paused`,
      ...visibleFailures,
      begin: async ({ suite }) => suite.backends[name].pause(),
      end: async ({ suite }) => suite.backends[name].resume(),
    },
    {
      name: `${name} slow (answers ${slowMs / 1_000} s late)`,
      ...visibleFailures,
      begin: async (setup) => (proxyOf(setup).delayMs = slowMs),
      end: async (setup) => (proxyOf(setup).delayMs = 0),
    },
  ];
}

/** Returns faults in which the books are unavailable. Calls continue, and their events wait. */
function unavailableBooksFaults(): readonly Fault[] {
  let locker: DatabaseSync | undefined;
  return [
    {
      name: "postgres stopped",
      engine: "postgres",
      begin: async ({ books }) => "server" in books && books.server.kill(),
      end: async ({ books }) => "server" in books && books.server.start(),
    },
    {
      name: "sqlite file locked",
      engine: "sqlite",
      async begin({ books }) {
        if (!("file" in books)) return;
        locker = new DatabaseSync(books.file, { timeout: lockMs });
        locker.exec("begin immediate");
      },
      end: async () => locker?.close(),
    },
  ];
}

/** Faults in which Redis loses all data or the latest data. */
const redisLossFaults: readonly Fault[] = [
  {
    name: "redis emptied (FLUSHALL)",
    allowedFailures: unavailableFailures,
    losesRedis: true,
    begin: ({ suite }) => onRedis(suite.backends.redisUrl, (redis) => redis.flushall()),
  },
  {
    name: "redis comes back on an empty volume",
    allowedFailures: unavailableFailures,
    losesRedis: true,
    async begin({ suite }) {
      const folder = await logFolder(suite.backends.redisUrl);
      await suite.backends.redis.kill();
      rmSync(folder, { recursive: true, force: true });
    },
    end: ({ suite }) => suite.backends.redis.start(),
  },
  {
    name: "redis comes back without the last second of its log",
    // A task of the lost second is unknown until the ledger restores it.
    allowedFailures: /503|error|look: 404/,
    losesRedis: true,
    brief: true,
    async begin({ suite: { backends } }) {
      const { file, bytes } = await newestLog(backends.redisUrl);
      await pause(1_000);
      await backends.redis.kill();
      truncateSync(file, bytes);
      await backends.redis.start();
    },
  },
  promotedReplicaFault(3_000),
];

/** A replica that is behind replaces the primary, so that the latest writes are lost. */
function promotedReplicaFault(behindMs: number): Fault {
  let replica: ReplicaServer | undefined;
  return {
    name: `redis replaced by a replica that is ${behindMs / 1_000} s behind`,
    allowedFailures: unavailableFailures,
    losesRedis: true,
    async begin({ suite, redisPort, redisProxy }) {
      await using link = await openSlowProxy(redisPort);
      replica = await startReplica(link.port);
      link.delayMs = behindMs;
      await pause(behindMs + 500);
      await suite.backends.redis.kill();
      await replica.promote();
      redisProxy.switchTo(replica.port);
    },
    async end({ suite, redisPort, redisProxy }) {
      if (replica === undefined) return;
      await suite.backends.redis.start();
      await moveRedisData(replica.port, redisPort);
      redisProxy.switchTo(redisPort);
      await replica[Symbol.asyncDispose]();
    },
  };
}

/** Creates a fault in which the vendors of all first channels behave as `directiveOf` says. */
const vendorFault = (
  name: string,
  directiveOf: (area: Area) => object,
  more: Pick<Fault, "channelCount" | "allowedFailures" | "refusing">,
): Fault => ({
  name: `vendors ${name}`,
  ...more,
  begin: ({ suite }) => scriptVendors(suite, (area) => ({ ...directiveOf(area), repeat: true })),
  end: ({ suite }) => scriptVendors(suite, () => ({ repeat: true })),
});

async function scriptVendors({ simulator }: Suite, stepOf: (area: Area) => object): Promise<void> {
  await Promise.all(
    areas.flatMap((area) => area.vendors.map(({ name }) => simulator.script(`${name}-main`, [stepOf(area)]))),
  );
}

const refuseWith429 = (): object => ({ status: 429, retryAfter: "1" });
const vendorFailures = /50[234]|error|cut|1011/;

/** All faults in the order in which they run. */
export const faults: readonly Fault[] = [
  { name: "none", begin: () => Promise.resolve() },
  ...killFaults,
  ...serverFaults("nats"),
  ...serverFaults("redis"),
  killBeforeAckFault({ name: "ledger killed between commit and acknowledgement", shape: "apart" }),
  ...unavailableBooksFaults(),
  ...redisLossFaults,
  ...streamLossFaults,
  vendorFault("stall in their answers", ({ faultBehaviours }) => faultBehaviours.stalls, {
    channelCount: "lone",
    allowedFailures: vendorFailures,
  }),
  vendorFault("cut their answers", ({ faultBehaviours }) => faultBehaviours.cuts, {
    channelCount: "lone",
    allowedFailures: vendorFailures,
  }),
  vendorFault("hang up before they answer", () => ({ closeBeforeHead: true }), { allowedFailures: /502/ }),
  vendorFault("storm with 429, others there", refuseWith429, { refusing: true, allowedFailures: /50[24]/ }),
  vendorFault("storm with 429, no others", refuseWith429, {
    channelCount: "lone",
    refusing: true,
    allowedFailures: /429|50[234]/,
  }),
  ...(["while sending", "before the answer", "in the answer"] as const).map((disconnects): Fault => ({
    name: `clients disconnect ${disconnects}`,
    disconnects,
    begin: () => Promise.resolve(),
  })),
];

/** Returns the fault with this name. Throws if it is missing. */
export function faultNamed(name: string): Fault {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`There is no fault ${JSON.stringify(name)}.`);
  return fault;
}
