import type { AttemptPlan } from "./attempt-plan.ts";
import type { TurnedAway } from "./gate.ts";
import type { Health } from "./health.ts";
import { pick, soonest, type PickOptions, type Rests } from "./pick.ts";
import { channelKeyIdOf, type Route } from "./rest-scope.ts";
import { channelKeyId, type Candidate, type ChannelKey } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";

/** A route to try, and whether it is tried only because there is no other. */
export interface ChosenRoute {
  readonly route: Route;
  readonly isLastResort: boolean;
}

/** Chooses the routes of one call, one after the other. */
export class RouteChooser {
  readonly #account: string;
  readonly #candidates: readonly Candidate[];
  readonly #health: Health;
  readonly #options: PickOptions;
  readonly #tried: Route[] = [];
  readonly #away: TurnedAway[] = [];
  #again: ChosenRoute | undefined;

  constructor(
    { account, prefer, choice }: Pick<AttemptPlan<unknown>, "account" | "prefer" | "choice">,
    candidates: readonly Candidate[],
    health: Health,
    { random, turn, score }: Pick<PickOptions, "random" | "turn" | "score">,
  ) {
    this.#account = account;
    this.#candidates = candidates;
    this.#health = health;
    const excluded = (candidate: Candidate, key: ChannelKey): boolean => {
      if (this.#tried.length + this.#away.length === 0) return false;
      const id = channelKeyId(candidate.channel.id, key.id);
      return (
        this.#tried.some((route) => channelKeyIdOf(route) === id) ||
        this.#away.some(({ scope }) => scope === id || scope === candidate.channel.id)
      );
    };
    this.#options = { random, turn, score, excluded, prefer, choice };
  }

  /** Returns the times from which this call's account may try routes that rest, if there are no others. */
  get lastResort(): Rests {
    return this.#health.lastResortOf(this.#account);
  }

  /** Returns the scopes that were found full, or that another call is testing. */
  get away(): readonly TurnedAway[] {
    return this.#away;
  }

  /**
   * Returns the next route; undefined if none is left. `isFirst` is true before the first attempt. In that case a route
   * that rests, or that another call is testing, is used if there is no other, so that failed calls never make a model
   * completely unavailable.
   */
  next(isFirst: boolean): ChosenRoute | undefined {
    const again = this.#again;
    this.#again = undefined;
    if (again !== undefined) return again;
    const rests = this.#health.restsOf(this.#account);
    const route = pick(this.#candidates, rests === undefined ? this.#options : { ...this.#options, rests });
    if (route !== undefined) return { route, isLastResort: false };
    if (!isFirst) return undefined;
    const excluded = (candidate: Candidate, key: ChannelKey): boolean => this.#isFull(candidate, key);
    const resort = pick(this.#candidates, { ...this.#options, rests: this.lastResort, excluded });
    return resort && { route: resort, isLastResort: true };
  }

  tried(route: Route): void {
    this.#tried.push(route);
  }

  turnedAway(why: TurnedAway): void {
    this.#away.push(why);
  }

  /** Prepares another attempt at the same route with a different request. */
  retry(chosen: ChosenRoute): void {
    this.#tried.splice(this.#tried.indexOf(chosen.route), 1);
    if (chosen.isLastResort) this.#again = chosen;
  }

  #isFull({ channel }: Candidate, { id }: ChannelKey): boolean {
    const key = channelKeyId(channel.id, id);
    return this.#away.some(({ why, scope }) => why === "full" && (scope === key || scope === channel.id));
  }
}

/** The `retry-after` if it is unknown when a channel may be used again. */
const unknownRestSeconds = 30;

/**
 * Creates the failure of a call for which no attempt could be made, with a `retry-after`: 429 if a channel is at its
 * limit, 503 if all rest, are being tested by another call, or are switched off.
 */
export function nothingLeft(
  { candidates, model }: { readonly candidates: readonly Candidate[]; readonly model: string },
  away: readonly TurnedAway[],
  rests: Rests,
): Failure {
  const full = away.filter(({ why }) => why === "full");
  if (full.length > 0)
    return new Failure("channel_concurrency_exceeded", undefined, { retryAfterSeconds: secondsUntilFirst(full) });
  const until = soonest(candidates, rests);
  const wait = away.length > 0 ? secondsUntilFirst(away) : until === undefined ? unknownRestSeconds : secondsTo(until);
  return new Failure(
    "no_available_channel",
    `No channel of ${JSON.stringify(model)} is available now; try again in ${wait} s.`,
    { retryAfterSeconds: wait },
  );
}

function secondsUntilFirst(away: readonly TurnedAway[]): number {
  return Math.max(1, Math.ceil(Math.min(...away.map(({ retryAfterMs }) => retryAfterMs)) / 1_000));
}

function secondsTo(timeMs: number): number {
  return Math.max(1, Math.ceil((timeMs - Date.now()) / 1_000));
}
