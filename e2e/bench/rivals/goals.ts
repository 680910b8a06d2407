import type { AtRest } from "./at-rest.ts";
import type { KindName } from "./kinds.ts";
import { nameOfOurs } from "./ours.ts";
import { ratioOf, spreadOf, type Spread } from "./spread.ts";
import type { Round, Rounds } from "./turns.ts";
import { roundsOf } from "./turns.ts";

/** Everything that a run of the bench has seen. */
export interface Measured {
  readonly rounds: Rounds;
  /** Name of the rival that the goals are set against. */
  readonly portkey: string;
  /** The stub asked directly at 300/s, round by round. */
  readonly direct: readonly Pick<Round, "p50Ms" | "p99Ms">[];
  readonly rest: AtRest;
  /** Memory of all our processes where they are apart, at rest, bytes. */
  readonly memoryApart: { readonly resident: number; readonly proportional: number } | undefined;
  /** Of the one process, for each open stream, bytes. */
  readonly memoryPerStream: number | undefined;
}

/** A figure that has a goal: no more than `most`. */
export interface Goal {
  readonly what: string;
  readonly most: number;
  readonly unit: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly seen: (measured: Measured) => Spread | undefined;
}

const own = (round: Round): number => round.own;
const all = (round: Round): number => round.all;
const edgeAndText = ({ micros }: Round): number => (micros["edge"] ?? 0) + (micros["text"] ?? 0);

/** A figure of ours divided by Portkey's. */
function beside(shape: keyof typeof nameOfOurs, kind: KindName, figure: (round: Round) => number): Goal["seen"] {
  return ({ rounds, portkey }) =>
    ratioOf(
      (rounds.get(roundsOf({ name: nameOfOurs[shape] }, kind)) ?? []).map(figure),
      (rounds.get(roundsOf({ name: portkey }, kind)) ?? []).map(own),
    );
}

function converted({ rounds }: Measured): Spread | undefined {
  const of = (kind: KindName): readonly number[] =>
    (rounds.get(roundsOf({ name: nameOfOurs.one }, kind)) ?? []).map(own);
  return ratioOf(of("converted"), of("burst"));
}

function added(time: "p50Ms" | "p99Ms"): Goal["seen"] {
  return ({ rounds, direct }) => {
    const through = rounds.get(roundsOf({ name: nameOfOurs.one }, "steady")) ?? [];
    return spreadOf(through.map((round, at) => round[time] - (direct[at]?.[time] ?? 0)));
  };
}

function single(figure: (measured: Measured) => number | undefined): Goal["seen"] {
  return (measured) => {
    const value = figure(measured);
    return value === undefined ? undefined : spreadOf([value]);
  };
}

const mebibyte = 1_048_576;
const ratio = { unit: "", digits: 2 };

/** The goals, in the order of the table. Ratios are to Portkey in the same round, where nothing else is said. */
export const goals: readonly Goal[] = [
  { what: "chat: one process ÷ Portkey", most: 0.75, ...ratio, seen: beside("one", "chat", own) },
  { what: "chat: one process, Redis and NATS ÷ Portkey", most: 1, ...ratio, seen: beside("one", "chat", all) },
  { what: "chat: apart, edge and text ÷ Portkey", most: 1, ...ratio, seen: beside("apart", "chat", edgeAndText) },
  { what: "chat: apart, everything ÷ Portkey", most: 1.4, ...ratio, seen: beside("apart", "chat", all) },
  { what: "event in bursts: one process ÷ Portkey", most: 0.6, ...ratio, seen: beside("one", "burst", own) },
  { what: "event each 10 ms: one process ÷ Portkey", most: 0.6, ...ratio, seen: beside("one", "spaced", own) },
  { what: "stream for a messages client ÷ passed", most: 1.25, ...ratio, seen: converted },
  { what: "added at 300/s, one process: p50", most: 1, unit: " ms", digits: 1, seen: added("p50Ms") },
  { what: "added at 300/s, one process: p99", most: 6, unit: " ms", digits: 1, seen: added("p99Ms") },
  { what: "1 MB body: one process ÷ Portkey", most: 0.5, ...ratio, seen: beside("one", "large", own) },
  {
    what: "memory at rest: one process",
    most: 200,
    unit: " MiB",
    digits: 0,
    seen: single(({ rest }) => rest.memory / mebibyte),
  },
  {
    what: "memory at rest: all apart",
    most: 800,
    unit: " MiB",
    digits: 0,
    seen: single(({ memoryApart }) => (memoryApart === undefined ? undefined : memoryApart.resident / mebibyte)),
  },
  {
    what: "memory at rest: all apart, pages in common counted once",
    most: 800,
    unit: " MiB",
    digits: 0,
    seen: single(({ memoryApart }) => (memoryApart === undefined ? undefined : memoryApart.proportional / mebibyte)),
  },
  {
    what: "CPU at rest: everything of npm start",
    most: 5,
    unit: " ms/s",
    digits: 1,
    seen: single(({ rest }) => rest.cpuOfAll),
  },
  { what: "CPU at rest: the one process", most: 5, unit: " ms/s", digits: 1, seen: single(({ rest }) => rest.cpu) },
  {
    what: "Redis commands at rest",
    most: 20,
    unit: "/s",
    digits: 1,
    seen: single(({ rest }) => rest.redisCommands),
  },
  { what: "warm npm start to ready", most: 2, unit: " s", digits: 1, seen: single(({ rest }) => rest.startSeconds) },
  {
    what: "memory per open stream, one process",
    most: 40,
    unit: " KiB",
    digits: 0,
    seen: single(({ memoryPerStream }) => (memoryPerStream === undefined ? undefined : memoryPerStream / 1_024)),
  },
];
