import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";
import type { Route } from "./rest-scope.ts";
import type { ChannelChoice } from "@modelgate/contracts";

/** Times from which a route may be used again, Unix ms. 0: now; Infinity: it is switched off. */
export interface Rests {
  /** Returns the time for a channel with the candidate's model. */
  ofChannel(candidate: Candidate): number;
  /** Returns the time for one of its keys with the candidate's model. */
  ofKey(candidate: Candidate, key: ChannelKey): number;
}

export interface PickOptions extends ChoiceOptions {
  /** Absent: nothing rests or is switched off. */
  readonly rests?: Rests | undefined;
  /** Returns whether this call has used that route already, or found it full. */
  excluded(candidate: Candidate, key: ChannelKey): boolean;
  /** Returns the index of the next key within a channel's pool. */
  readonly turn: (channelId: string, poolSize: number) => number;
  /** Key that is used before all others if possible. */
  readonly prefer?: ChannelKeyId | undefined;
}

/**
 * Returns the route for the next attempt: of the highest priority that has a usable one, chosen by the model's
 * `choice`, with the channel's keys in turn. Routes that rest, are switched off or were tried are skipped. Undefined if
 * none is left. Pure, except for `random`.
 */
export function pick(candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  const preferred = options.prefer === undefined ? undefined : routeTo(options.prefer, candidates, options);
  if (preferred !== undefined) return preferred;
  const best: { readonly candidate: Candidate; readonly keys: readonly ChannelKey[] }[] = [];
  for (const candidate of candidates) {
    const [first] = best;
    if (first !== undefined && first.candidate.channel.priority > candidate.channel.priority) break;
    const keys = usableKeys(candidate, options);
    if (keys.length > 0) best.push({ candidate, keys });
  }
  const chosen = best.length < 2 ? best[0] : choose(best, options);
  if (chosen === undefined) return undefined;
  const { candidate, keys } = chosen;
  const key = keys.length < 2 ? keys[0] : keys[options.turn(candidate.channel.id, keys.length) % keys.length];
  return key === undefined ? undefined : { candidate, key };
}

function routeTo(wanted: ChannelKeyId, candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  for (const candidate of candidates) {
    const key = candidate.channel.keys.find(({ id }) => wanted === channelKeyId(candidate.channel.id, id));
    if (key !== undefined && usableKeys(candidate, options).includes(key)) return { candidate, key };
  }
  return undefined;
}

function usableKeys(candidate: Candidate, options: PickOptions): readonly ChannelKey[] {
  const { rests } = options;
  if (rests !== undefined && rests.ofChannel(candidate) > 0) return [];
  const usable: ChannelKey[] = [];
  for (const key of candidate.channel.keys)
    if ((rests === undefined || rests.ofKey(candidate, key) === 0) && !options.excluded(candidate, key))
      usable.push(key);
  return usable;
}

/**
 * Returns the earliest time from which one of the candidates may be used again, Unix ms; undefined if all are switched
 * off.
 */
export function soonest(candidates: readonly Candidate[], rests: Rests): number | undefined {
  const times = candidates.flatMap((candidate) =>
    candidate.channel.keys.map((key) => Math.max(rests.ofChannel(candidate), rests.ofKey(candidate, key))),
  );
  const finite = times.filter((time) => Number.isFinite(time));
  return finite.length === 0 ? undefined : Math.min(...finite);
}

/** Choice among several candidates of the same priority. */
export interface ChoiceOptions {
  /** Absent: by weight. */
  readonly choice?: ChannelChoice | undefined;
  /** Returns the expected wait of a call, as a number to compare: lower is faster. */
  readonly score: (candidate: Candidate) => number;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
}

type Weighed = { readonly candidate: Candidate };

/** Chooses one of several by the model's `choice`; undefined if there is none. */
export function choose<T extends Weighed>(
  from: readonly T[],
  { choice = "weighted", score, random }: ChoiceOptions,
): T | undefined {
  if (from.length < 2) return from[0];
  if (choice === "fastest") return faster(from, score, random);
  return weighted(choice === "cheapest" ? cheapest(from) : from, random);
}

/** Selects the candidates with the lowest vendor price; candidates of unknown price come last. */
function cheapest<T extends Weighed>(from: readonly T[]): readonly T[] {
  const costOf = ({ candidate }: T): number => candidate.cost ?? Infinity;
  const least = Math.min(...from.map(costOf));
  return from.filter((each) => costOf(each) === least);
}

/** Returns the faster of two random candidates, so that not all calls go to the fastest one. */
function faster<T extends Weighed>(
  from: readonly T[],
  score: ChoiceOptions["score"],
  random: () => number,
): T | undefined {
  const first = Math.floor(random() * from.length);
  const second = (first + 1 + Math.floor(random() * (from.length - 1))) % from.length;
  const [one, other] = [from[first], from[second]];
  if (one === undefined || other === undefined) return one ?? other;
  return score(other.candidate) < score(one.candidate) ? other : one;
}

/** Returns one of several at random by weight; if all weights are 0, they count as equal. */
function weighted<T extends Weighed>(from: readonly T[], random: () => number): T | undefined {
  if (from.length < 2) return from[0];
  const weights = from.map(({ candidate }) => candidate.channel.weight);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return from[Math.floor(random() * from.length)];
  let left = random() * sum;
  return from.find((_, at) => (left -= weights[at] ?? 0) < 0) ?? from.at(-1);
}
