import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";
import { choose, type ChoiceOptions } from "./choose.ts";
import type { Route } from "./route.ts";

/** When something may be used again, Unix ms; 0: now. Infinity: it is switched off. */
export interface Rests {
  /** A channel with the candidate's model. */
  ofChannel(candidate: Candidate): number;
  /** One of its keys, with the candidate's model. */
  ofKey(candidate: Candidate, key: ChannelKey): number;
}

export interface PickOptions extends ChoiceOptions {
  readonly rests: Rests;
  /** Whether this call has taken that route already, or found it full. */
  readonly excluded: (route: Route) => boolean;
  /** Where in a channel's pool the turn is. */
  readonly turn: (channelId: string, poolSize: number) => number;
  /** The key that comes before all others while it can be used. */
  readonly prefer?: ChannelKeyId | undefined;
}

/**
 * The route for the next attempt: the highest priority that has one, as the model chooses within it, the channel's keys in turn;
 * what rests, is switched off or was tried is passed over. Undefined where nothing is left. Pure, but for `random`.
 */
export function pick(candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  const preferred = options.prefer === undefined ? undefined : routeTo(options.prefer, candidates, options);
  if (preferred !== undefined) return preferred;
  let best: { readonly candidate: Candidate; readonly keys: readonly ChannelKey[] }[] = [];
  for (const candidate of candidates) {
    const [first] = best;
    if (first !== undefined && first.candidate.channel.priority > candidate.channel.priority) break;
    const keys = usableKeys(candidate, options);
    if (keys.length > 0) best = [...best, { candidate, keys }];
  }
  const chosen = choose(best, options);
  if (chosen === undefined) return undefined;
  const { candidate, keys } = chosen;
  const key = keys[options.turn(candidate.channel.id, keys.length) % keys.length];
  return key === undefined ? undefined : { candidate, key };
}

function routeTo(wanted: ChannelKeyId, candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  for (const candidate of candidates) {
    const key = candidate.channel.keys.find(({ id }) => wanted === channelKeyId(candidate.channel.id, id));
    if (key !== undefined && usableKeys(candidate, options).includes(key)) return { candidate, key };
  }
  return undefined;
}

function usableKeys(candidate: Candidate, { rests, excluded }: PickOptions): readonly ChannelKey[] {
  if (rests.ofChannel(candidate) > 0) return [];
  return candidate.channel.keys.filter((key) => rests.ofKey(candidate, key) === 0 && !excluded({ candidate, key }));
}

/** When the first of the candidates may be used again, Unix ms; undefined where none will by itself. */
export function soonest(candidates: readonly Candidate[], rests: Rests): number | undefined {
  const times = candidates.flatMap((candidate) =>
    candidate.channel.keys.map((key) => Math.max(rests.ofChannel(candidate), rests.ofKey(candidate, key))),
  );
  const finite = times.filter((time) => Number.isFinite(time));
  return finite.length === 0 ? undefined : Math.min(...finite);
}
