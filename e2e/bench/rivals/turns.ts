import { runLoad } from "../measure.ts";
import { options } from "../options.ts";
import { cpuOf, memoryOf, type Gateway } from "./gateways.ts";
import { kinds, loadOf, type KindName } from "./kinds.ts";

/** Result of one round. */
export interface Round {
  /** CPU time per answered request, in microseconds, by part and server. */
  readonly micros: Readonly<Record<string, number>>;
  /** CPU time without the gateway's servers. `totalMicros` includes them. */
  readonly ownMicros: number;
  readonly totalMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Resident memory of the gateway and its servers after the round, in bytes. */
  readonly memory: number;
}

export type Rounds = ReadonlyMap<string, readonly Round[]>;

const rounds = options.quick ? 2 : 3;
/** Seconds of load before all measurements, in which code is compiled. */
const warmSeconds = options.quick ? 4 : 40;
/** Seconds of load before the first round of a kind. V8 then optimizes functions for this kind. */
const adaptSeconds = options.quick ? 1 : 5;
/** Kinds of load in the order of measurement. */
export const kindNames = Object.keys(kinds).filter((name): name is KindName => name in kinds);

export function roundsKey(gateway: Pick<Gateway, "name">, kind: KindName): string {
  return `${gateway.name}, ${kinds[kind].what}`;
}

/** Runs load before the measurement. Returns the kinds that fail, with the reasons. */
export async function warm(gateway: Gateway): Promise<ReadonlyMap<KindName, string>> {
  const broken = new Map<KindName, string>();
  for (const kind of kindNames) {
    const load = loadOf(kind, gateway);
    if (load === undefined) continue;
    const { requests, failures } = await runLoad({ ...load, seconds: kind === "chat" ? warmSeconds : 2 });
    if (requests === 0 || failures > 0) broken.set(kind, `${failures} of ${requests} requests failed`);
  }
  return broken;
}

/**
 * Measures one kind of load after another. The gateways take turns, so that other load of the machine affects all of
 * them.
 */
export async function takeTurns(
  gateways: readonly { readonly gateway: Gateway; readonly broken: ReadonlyMap<KindName, string> }[],
): Promise<Rounds> {
  const results = new Map<string, Round[]>();
  for (const kind of kindNames) {
    const supporting = gateways.flatMap(({ gateway, broken }) => {
      const load = broken.has(kind) ? undefined : loadOf(kind, gateway);
      return load === undefined ? [] : [{ gateway, load }];
    });
    for (const { load } of supporting) await runLoad({ ...load, seconds: adaptSeconds });
    for (let round = 0; round < rounds; round++)
      for (const { gateway, load } of supporting) {
        const key = roundsKey(gateway, kind);
        results.set(key, [...(results.get(key) ?? []), await measureRound(gateway, load)]);
      }
  }
  return results;
}

async function measureRound(gateway: Gateway, load: Parameters<typeof runLoad>[0]): Promise<Round> {
  const before = cpuOf(gateway);
  const { requests, failures, seconds, p50Ms, p99Ms } = await runLoad(load);
  const after = cpuOf(gateway);
  const answered = Math.max(1, requests - failures);
  const micros = Object.fromEntries(
    Object.entries(after).map(([part, cpu]) => [part, (cpu - (before[part] ?? 0)) / answered]),
  );
  const sumOf = (parts: object): number => Object.keys(parts).reduce((sum, part) => sum + (micros[part] ?? 0), 0);
  const own = sumOf(gateway.parts);
  return {
    micros,
    ownMicros: own,
    totalMicros: own + sumOf(gateway.servers),
    perSecond: requests / seconds,
    p50Ms,
    p99Ms,
    memory: memoryOf({ parts: { ...gateway.parts, ...gateway.servers } }),
  };
}
