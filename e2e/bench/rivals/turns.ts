import { drive } from "../measure.ts";
import { options } from "../options.ts";
import { cpuOf, type Gateway } from "./gateways.ts";
import { kinds, loadOf, type KindName } from "./kinds.ts";

/** What one round saw of a gateway under a kind of load. */
export interface Round {
  /** CPU of each part and server for each answered request, microseconds. */
  readonly micros: Readonly<Record<string, number>>;
  /** Of the gateway's own code, and with its servers, microseconds. */
  readonly own: number;
  readonly all: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Rounds by gateway and kind. */
export type Rounds = ReadonlyMap<string, readonly Round[]>;

const rounds = options.quick ? 2 : 3;
/** A process that has just been started is dearer: what is compiled is compiled by use. */
const warmSeconds = options.quick ? 4 : 40;
/** The kinds of load, in the order in which they are measured. */
export const kindNames = Object.keys(kinds).filter((name): name is KindName => name in kinds);

/** The name under which the rounds of a gateway stand. */
export function roundsOf(gateway: Pick<Gateway, "name">, kind: KindName): string {
  return `${gateway.name}, ${kinds[kind].what}`;
}

/** Warms a gateway. Gives the kinds that it cannot do, each with the reason, and leaves them out later. */
export async function warm(gateway: Gateway): Promise<ReadonlyMap<KindName, string>> {
  const broken = new Map<KindName, string>();
  for (const kind of kindNames) {
    const load = loadOf(kind, gateway);
    if (load === undefined) continue;
    const { requests, failures } = await drive({ ...load, seconds: kind === "chat" ? warmSeconds : 2 });
    if (requests === 0 || failures > 0) broken.set(kind, `${failures} of ${requests} requests failed`);
  }
  return broken;
}

/** Loads every gateway with every kind, by turns, so that what else the machine does meets all alike. */
export async function takeTurns(
  gateways: readonly { readonly gateway: Gateway; readonly broken: ReadonlyMap<KindName, string> }[],
): Promise<Rounds> {
  const seen = new Map<string, Round[]>();
  for (let round = 0; round < rounds; round++)
    for (const kind of kindNames)
      for (const { gateway, broken } of gateways) {
        const load = broken.has(kind) ? undefined : loadOf(kind, gateway);
        if (load === undefined) continue;
        const key = roundsOf(gateway, kind);
        seen.set(key, [...(seen.get(key) ?? []), await oneRound(gateway, load)]);
      }
  return seen;
}

async function oneRound(gateway: Gateway, load: Parameters<typeof drive>[0]): Promise<Round> {
  const before = cpuOf(gateway);
  const { requests, failures, seconds, p50Ms, p99Ms } = await drive(load);
  const after = cpuOf(gateway);
  const answered = Math.max(1, requests - failures);
  const micros = Object.fromEntries(
    Object.entries(after).map(([part, cpu]) => [part, (cpu - (before[part] ?? 0)) / answered]),
  );
  const sumOf = (parts: object): number => Object.keys(parts).reduce((sum, part) => sum + (micros[part] ?? 0), 0);
  const own = sumOf(gateway.parts);
  return { micros, own, all: own + sumOf(gateway.servers), perSecond: requests / seconds, p50Ms, p99Ms };
}
