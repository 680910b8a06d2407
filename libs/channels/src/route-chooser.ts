import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";
import { Failure, type ChannelChoice } from "@modelgate/contracts";
import type { AttemptPlan } from "./attempt-plan.ts";
import type { SeatRefusal } from "./gate.ts";
import type { Health, Cooldowns } from "./health.ts";
import { channelKeyIdOf, type Route } from "./channel-scope.ts";

/** A route to try. `isLastResort` is true if it is used in spite of a cooldown. */
export interface ChosenRoute {
  readonly route: Route;
  readonly isLastResort: boolean;
}

/** Chooses the routes of one call, one after another. */
export class RouteChooser {
  readonly #account: string;
  readonly #candidates: readonly Candidate[];
  readonly #health: Health;
  readonly #options: PickOptions;
  readonly #tried: Route[] = [];
  readonly #refusals: SeatRefusal[] = [];
  #routeToRetry: ChosenRoute | undefined;

  constructor(
    { account, prefer, choice }: Pick<AttemptPlan<unknown>, "account" | "prefer" | "choice">,
    candidates: readonly Candidate[],
    health: Health,
    { random, nextTurn, score }: Pick<PickOptions, "random" | "nextTurn" | "score">,
  ) {
    this.#account = account;
    this.#candidates = candidates;
    this.#health = health;
    this.#options = { random, nextTurn, score, prefer, choice };
  }

  get lastResort(): Cooldowns {
    return this.#health.lastResortOf(this.#account);
  }

  get refusals(): readonly SeatRefusal[] {
    return this.#refusals;
  }

  /**
   * Returns the next route, if one is left. The first attempt may use a route in spite of its cooldown, so that
   * failures never make a model completely unavailable.
   */
  next(isFirst: boolean): ChosenRoute | undefined {
    const routeToRetry = this.#routeToRetry;
    this.#routeToRetry = undefined;
    if (routeToRetry !== undefined) return routeToRetry;
    const cooldowns = this.#health.cooldownsOf(this.#account);
    const isUnrestricted = cooldowns === undefined && this.#tried.length + this.#refusals.length === 0;
    const route = pickRoute(this.#candidates, isUnrestricted ? this.#options : this.#remaining(cooldowns));
    if (route !== undefined) return { route, isLastResort: false };
    if (!isFirst) return undefined;
    const isExcluded = (candidate: Candidate, key: ChannelKey): boolean => this.#isFull(candidate, key);
    const resort = pickRoute(this.#candidates, { ...this.#options, cooldowns: this.lastResort, isExcluded });
    return resort && { route: resort, isLastResort: true };
  }

  reportTried(route: Route): void {
    this.#tried.push(route);
  }

  reportRefusal(refusal: SeatRefusal): void {
    this.#refusals.push(refusal);
  }

  /** Makes the same route the next one, for a different request. */
  retry(route: ChosenRoute): void {
    this.#tried.splice(this.#tried.indexOf(route.route), 1);
    this.#routeToRetry = route;
  }

  /** Returns options that exclude the routes that were tried or that refused a seat. */
  #remaining(cooldowns: Cooldowns | undefined): PickOptions {
    const isExcluded = ({ channel }: Candidate, key: ChannelKey): boolean => {
      const id = channelKeyId(channel.id, key.id);
      return (
        this.#tried.some((route) => channelKeyIdOf(route) === id) ||
        this.#refusals.some(({ scope }) => scope === id || scope === channel.id)
      );
    };
    return { ...this.#options, cooldowns, isExcluded };
  }

  #isFull({ channel }: Candidate, { id }: ChannelKey): boolean {
    const key = channelKeyId(channel.id, id);
    return this.#refusals.some(({ cause, scope }) => cause === "full" && (scope === key || scope === channel.id));
  }
}

/** Seconds of `retry-after` if all channels are switched off. */
const switchedOffSeconds = 30;

/** Creates the failure of a call that no route can serve now, with a `retry-after`. */
export function noRouteFailure(
  { candidates, model }: { readonly candidates: readonly Candidate[]; readonly model: string },
  refusals: readonly SeatRefusal[],
  cooldowns: Cooldowns,
): Failure {
  const full = refusals.filter(({ cause }) => cause === "full");
  if (full.length > 0)
    return new Failure("channel_concurrency_exceeded", undefined, { retryAfterSeconds: secondsUntilFirst(full) });
  const until = earliestAvailableAt(candidates, cooldowns);
  const wait =
    refusals.length > 0 ? secondsUntilFirst(refusals) : until === undefined ? switchedOffSeconds : secondsUntil(until);
  return new Failure(
    "no_available_channel",
    `No channel of ${JSON.stringify(model)} is available now; try again in ${wait} s.`,
    { retryAfterSeconds: wait },
  );
}

function secondsUntilFirst(refusals: readonly SeatRefusal[]): number {
  return Math.max(1, Math.ceil(Math.min(...refusals.map(({ retryAfterMs }) => retryAfterMs)) / 1_000));
}

function secondsUntil(timeMs: number): number {
  return Math.max(1, Math.ceil((timeMs - Date.now()) / 1_000));
}

export interface PickOptions extends ChoiceOptions {
  /** Absent if nothing is in a cooldown or switched off. */
  readonly cooldowns?: Cooldowns | undefined;
  isExcluded?(candidate: Candidate, key: ChannelKey): boolean;
  /** Returns the number of the channel's next turn. The keys of a channel take turns. */
  readonly nextTurn: (channelId: string, poolSize: number) => number;
  /** Key that is chosen first if it is usable. */
  readonly prefer?: ChannelKeyId | undefined;
}

/**
 * Returns the preferred route if it is usable, otherwise a usable route with the highest priority; undefined if no
 * route is usable.
 */
export function pickRoute(candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  const preferred = options.prefer === undefined ? undefined : routeTo(options.prefer, candidates, options);
  if (preferred !== undefined) return preferred;
  const best: { readonly candidate: Candidate; readonly keys: readonly ChannelKey[] }[] = [];
  for (const candidate of candidates) {
    const [first] = best;
    if (first !== undefined && first.candidate.channel.priority > candidate.channel.priority) break;
    const keys = usableKeys(candidate, options);
    if (keys.length > 0) best.push({ candidate, keys });
  }
  const selected = best.length < 2 ? best[0] : chooseCandidate(best, options);
  if (selected === undefined) return undefined;
  const { candidate, keys } = selected;
  const key = keys.length < 2 ? keys[0] : keys[options.nextTurn(candidate.channel.id, keys.length) % keys.length];
  return key === undefined ? undefined : { candidate, key };
}

function routeTo(preferred: ChannelKeyId, candidates: readonly Candidate[], options: PickOptions): Route | undefined {
  for (const candidate of candidates) {
    const key = candidate.channel.keys.find(({ id }) => preferred === channelKeyId(candidate.channel.id, id));
    if (key !== undefined && usableKeys(candidate, options).includes(key)) return { candidate, key };
  }
  return undefined;
}

function usableKeys(candidate: Candidate, options: PickOptions): readonly ChannelKey[] {
  const { cooldowns } = options;
  const { keys } = candidate.channel;
  if (cooldowns === undefined && options.isExcluded === undefined) return keys;
  if (cooldowns !== undefined && cooldowns.ofChannel(candidate) > 0) return [];
  const isUsable = (key: ChannelKey): boolean =>
    (cooldowns === undefined || cooldowns.ofKey(candidate, key) === 0) && options.isExcluded?.(candidate, key) !== true;
  return keys.every(isUsable) ? keys : keys.filter(isUsable);
}

/** Returns the earliest time, in Unix ms, at which a candidate may be used; undefined if all are switched off. */
export function earliestAvailableAt(candidates: readonly Candidate[], cooldowns: Cooldowns): number | undefined {
  const times = candidates.flatMap((candidate) =>
    candidate.channel.keys.map((key) => Math.max(cooldowns.ofChannel(candidate), cooldowns.ofKey(candidate, key))),
  );
  const finite = times.filter((time) => Number.isFinite(time));
  return finite.length === 0 ? undefined : Math.min(...finite);
}

/** Rules for the choice among candidates of the same priority. */
export interface ChoiceOptions {
  /** Rule of the choice; `weighted` if absent. */
  readonly choice?: ChannelChoice | undefined;
  /** Returns the expected wait of a call: lower is faster. */
  readonly score: (candidate: Candidate) => number;
  /** Returns a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
}

type WithCandidate = { readonly candidate: Candidate };

/** Chooses one candidate. Returns undefined for an empty list. */
export function chooseCandidate<T extends WithCandidate>(
  from: readonly T[],
  { choice = "weighted", score, random }: ChoiceOptions,
): T | undefined {
  if (from.length < 2) return from[0];
  if (choice === "fastest") return chooseFaster(from, score, random);
  return chooseWeighted(choice === "cheapest" ? keepCheapest(from) : from, random);
}

/** Selects the candidates with the lowest cost. An unknown cost is higher than any other. */
function keepCheapest<T extends WithCandidate>(from: readonly T[]): readonly T[] {
  const costOf = ({ candidate }: T): number => candidate.cost ?? Infinity;
  const least = Math.min(...from.map(costOf));
  return from.filter((each) => costOf(each) === least);
}

/** Draws two candidates at random and returns the faster one. The fastest candidate thus does not receive all calls. */
function chooseFaster<T extends WithCandidate>(
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

/** Draws one candidate at random, in proportion to the weights. */
function chooseWeighted<T extends WithCandidate>(from: readonly T[], random: () => number): T | undefined {
  if (from.length < 2) return from[0];
  const weights = from.map(({ candidate }) => candidate.channel.weight);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return from[Math.floor(random() * from.length)];
  let remainingWeight = random() * sum;
  return from.find((_, index) => (remainingWeight -= weights[index] ?? 0) < 0) ?? from.at(-1);
}
