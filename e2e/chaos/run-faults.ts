import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { until, type LocalBackends, type Shape, type Suite } from "@modelgate/testkit";
import type { Area } from "./area.ts";
import { readOutcome, type Outcome } from "./books.ts";
import { startClients, type CallStatistics } from "./clients.ts";
import type { Engine, Fault } from "./faults.ts";
import { allAreas, openChaosSetup, type ClientAccount } from "./setup.ts";

export interface FaultRunOptions {
  readonly faults: readonly Fault[];
  readonly areas: readonly Area[];
  readonly faultMs: number;
  readonly clients: number;
  readonly engine: Engine;
  readonly shape: Shape;
}

/** Result of a fault in one area. */
export interface AreaResult extends Outcome {
  readonly area: Area;
  readonly statistics: CallStatistics;
  /** True if a call after the fault got a complete answer. Always true if the fault's clients disconnect. */
  readonly answersAgain: boolean;
  /** Maximum number of uncharged complete answers. */
  readonly maxUncharged: number;
}

/** Suite in which faults are caused one after another. */
export interface FaultRun extends AsyncDisposable {
  /** Causes a fault, ends it, and checks each area. */
  run(fault: Fault): Promise<readonly AreaResult[]>;
}

/** Returns the account of a fault in an area. Each has a separate one, so that its books can be checked separately. */
const accountFor = (fault: Fault, faults: readonly Fault[], { name }: Area): ClientAccount => ({
  accountId: `chaos-${faults.indexOf(fault)}-${name}`,
  key: `sk-chaos-0123456789-${faults.indexOf(fault)}-${name}`,
});
/** Maximum ms after a fault until an area answers. */
const answerWithinMs = 60_000;

/** Returns the faults for a layout and a database engine. */
export function faultsOf(faults: readonly Fault[], engine: Engine, shape: Shape): readonly Fault[] {
  return faults.filter((fault) => (fault.engine ?? engine) === engine && (fault.shape ?? shape) === shape);
}

/** Starts the suite with an account for each fault and area. */
export async function openFaultRun({
  faults,
  areas,
  faultMs,
  clients,
  engine,
  shape,
}: FaultRunOptions): Promise<FaultRun> {
  const clientAccounts = faults.flatMap((fault) => areas.map((area) => accountFor(fault, faults, area)));
  const setup = await openChaosSetup(allAreas(clientAccounts, engine, shape));
  const { suite } = setup;
  const redis = new Redis(suite.backends.redisUrl, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined); // faults stop Redis
  return {
    async run(fault) {
      const accountOf = (area: Area): ClientAccount => accountFor(fault, faults, area);
      // The previous fault can have after-effects.
      await Promise.all(areas.map((area) => untilServed(suite, area, accountOf(area).key)));
      for (const { name } of areas.flatMap(({ vendors }) => vendors)) await suite.simulator.forget(`${name}-main`);
      const running = areas.map((area) => {
        const { accountId, key } = accountOf(area);
        const { channelCount = "two", disconnects = "never" } = fault;
        const name = `${accountId}-`;
        return startClients({ area, edgeUrl: suite.edgeUrl, key, load: { clients }, channelCount, disconnects, name });
      });
      // Clients also call before and after the fault, each time for a third of the fault's duration.
      await pause(faultMs / 3);
      await fault.begin(setup);
      await pause(faultMs);
      await fault.end?.(setup);
      const before = running.map(({ statistics }) => statistics.requests);
      await pause(faultMs / 3);
      const answered = await Promise.all(
        running.map(({ statistics }, at) => isAnswered(statistics, before[at] ?? 0, fault)),
      );
      return Promise.all(
        areas.map(async (area, at): Promise<AreaResult> => {
          const statistics = await running[at]?.stop();
          if (statistics === undefined) throw new Error(`${area.name} has no clients`);
          const { accountId } = accountOf(area);
          const maxUncharged = fault.mayStayUncharged?.includes(area.name) === true ? clients : 0;
          const outcome = await readOutcome(suite, redis, accountId, statistics, { ...fault, maxUncharged });
          const repeated = (await area.countRepeated?.(suite, `${accountId}-`, fault.refusing ?? false)) ?? 0;
          const answersAgain = answered[at] ?? false;
          return {
            area,
            statistics,
            answersAgain,
            maxUncharged,
            ...outcome,
            doubleCharges: outcome.doubleCharges + repeated,
          };
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await setup[Symbol.asyncDispose]();
    },
  };
}

/** Waits for a complete answer to a call after the fault. Returns false after a maximum time. */
async function isAnswered(statistics: CallStatistics, first: number, { disconnects }: Fault): Promise<boolean> {
  if (disconnects !== undefined) return true;
  for (const end = Date.now() + answerWithinMs; Date.now() < end;) {
    if (statistics.newestWhole >= first) return true;
    await pause(20);
  }
  return false;
}

/** Returns descriptions of the failed checks. */
export function failedChecksOf(
  { allowedFailures, failuresIn }: Fault,
  results: readonly AreaResult[],
): readonly string[] {
  return results.flatMap(
    ({
      area: { name },
      statistics,
      answersAgain,
      maxUncharged,
      lostEvents,
      unchargedAnswers,
      doubleCharges,
      books,
    }) => {
      const allowed = failuresIn === undefined || failuresIn === name ? allowedFailures : undefined;
      const unexpected = [...statistics.failures].filter(([what]) => allowed?.test(what) !== true);
      return [
        ...(lostEvents > 0 ? [`${name}: ${lostEvents} events lost`] : []),
        ...(unchargedAnswers > maxUncharged ? [`${name}: ${unchargedAnswers} complete answers not charged`] : []),
        ...(doubleCharges > 0 ? [`${name}: ${doubleCharges} double charges`] : []),
        ...(books === "agree" ? [] : [`${name}: ${books}`]),
        ...(answersAgain ? [] : [`${name}: no complete answer after the fault`]),
        ...unexpected.map(([what, count]) => `${name}: clients saw ${count} × ${what}`),
      ];
    },
  );
}

/** Waits until an area has answered each kind of call. */
export async function untilServed({ edgeUrl }: Suite<LocalBackends>, area: Area, key: string): Promise<void> {
  const call = { edgeUrl, key, requestId: "ready", channelCount: "lone", disconnects: "never" } as const;
  await until(
    `${area.name} to serve`,
    async () => {
      const results = await Promise.all(area.vendors.map((_, turn) => area.call({ ...call, turn })));
      return results.every(({ failures }) => failures.length === 0);
    },
    90_000,
  );
}
