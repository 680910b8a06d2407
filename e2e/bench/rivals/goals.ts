import type { AtRest } from "./at-rest.ts";
import type { KindName } from "./kinds.ts";
import { nameOfOurs } from "./ours.ts";
import { ratioOf, spreadOf, type Spread } from "./spread.ts";
import type { Round, Rounds } from "./turns.ts";
import { roundsKey } from "./turns.ts";

/** All results of a benchmark run. */
export interface Measured {
  readonly rounds: Rounds;
  readonly portkey: string;
  /** Rounds of direct calls to the stub at 300/s. */
  readonly direct: readonly Pick<Round, "p50Ms" | "p99Ms">[];
  readonly atRest: AtRest;
  /** Memory of all modelgate processes at rest, in bytes. */
  readonly memoryApart: { readonly resident: number; readonly proportional: number } | undefined;
  /** Memory per open stream in one process, in bytes. */
  readonly memoryPerStream: number | undefined;
}

/** Goal with its maximum, and the function that finds the measured value. */
export type Goal = readonly [what: string, maximum: number, unit: string, digits: number, readValue: ReadValue];
type ReadValue = (measured: Measured) => Spread | undefined;

const ownMicros = (round: Round): number => round.ownMicros;
const totalMicros = (round: Round): number => round.totalMicros;
const edgeAndText = ({ micros }: Round): number => (micros["edge"] ?? 0) + (micros["text"] ?? 0);

function roundsOf(rounds: Rounds, name: string, kind: KindName): readonly Round[] {
  return rounds.get(roundsKey({ name }, kind)) ?? [];
}

/** Divides modelgate's values by Portkey's CPU time in the same round. */
function ratioToPortkey(shape: keyof typeof nameOfOurs, kind: KindName, figure: (round: Round) => number): ReadValue {
  return ({ rounds, portkey }) =>
    ratioOf(roundsOf(rounds, nameOfOurs[shape], kind).map(figure), roundsOf(rounds, portkey, kind).map(ownMicros));
}

function convertedRatio({ rounds }: Measured): Spread | undefined {
  const of = (kind: KindName): readonly number[] => roundsOf(rounds, nameOfOurs.one, kind).map(ownMicros);
  return ratioOf(of("converted"), of("burst"));
}

function addedLatency(time: "p50Ms" | "p99Ms"): ReadValue {
  return ({ rounds, direct }) => {
    const through = roundsOf(rounds, nameOfOurs.one, "steady");
    return spreadOf(through.map((round, at) => round[time] - (direct[at]?.[time] ?? 0)));
  };
}

function memoryUnderLoad({ rounds }: Measured): Spread | undefined {
  return spreadOf(roundsOf(rounds, nameOfOurs.one, "chat").map((round) => MiB(round.memory)));
}

function singleValue(figure: (measured: Measured) => number | undefined): ReadValue {
  return (measured) => {
    const value = figure(measured);
    return value === undefined ? undefined : spreadOf([value]);
  };
}

const MiB = (bytes: number): number => bytes / 1_048_576;

/** Goals in the order of the table. */
export const goals: readonly Goal[] = [
  ["chat: one process ÷ Portkey", 0.6, "", 2, ratioToPortkey("one", "chat", ownMicros)],
  ["chat: one process, Redis and NATS ÷ Portkey", 0.85, "", 2, ratioToPortkey("one", "chat", totalMicros)],
  ["chat: apart, edge and text ÷ Portkey", 1, "", 2, ratioToPortkey("apart", "chat", edgeAndText)],
  ["chat: apart, everything ÷ Portkey", 1.4, "", 2, ratioToPortkey("apart", "chat", totalMicros)],
  ["event in bursts: one process ÷ Portkey", 0.6, "", 2, ratioToPortkey("one", "burst", ownMicros)],
  ["event each 10 ms: one process ÷ Portkey", 0.6, "", 2, ratioToPortkey("one", "spaced", ownMicros)],
  ["stream for a messages client ÷ passed", 1.1, "", 2, convertedRatio],
  ["added at 300/s, one process: p50", 1, " ms", 1, addedLatency("p50Ms")],
  ["added at 300/s, one process: p99", 5, " ms", 1, addedLatency("p99Ms")],
  ["1 MB body: one process ÷ Portkey", 0.4, "", 2, ratioToPortkey("one", "large", ownMicros)],
  ["memory under load: one process, Redis and NATS", 500, " MiB", 0, memoryUnderLoad],
  ["memory at rest: one process", 200, " MiB", 0, singleValue(({ atRest }) => MiB(atRest.memory))],
  ["memory at rest: all apart", 800, " MiB", 0, singleValue(({ memoryApart: of }) => of && MiB(of.resident))],
  [
    "memory at rest: all apart, pages in common counted once",
    800,
    " MiB",
    0,
    singleValue(({ memoryApart: of }) => of && MiB(of.proportional)),
  ],
  ["CPU at rest: everything of npm start", 5, " ms/s", 1, singleValue(({ atRest }) => atRest.cpuOfAll)],
  ["CPU at rest: the one process", 5, " ms/s", 1, singleValue(({ atRest }) => atRest.cpu)],
  ["Redis commands at rest", 20, "/s", 1, singleValue(({ atRest }) => atRest.redisCommands)],
  ["warm npm start to ready", 2, " s", 1, singleValue(({ atRest }) => atRest.startSeconds)],
  ["memory per open stream, one process", 30, " KiB", 0, singleValue(({ memoryPerStream: of }) => of && of / 1_024)],
];
