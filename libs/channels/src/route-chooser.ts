import type { AttemptPlan } from "./attempt-plan.ts";
import type { TurnedAway } from "./gate.ts";
import type { Health } from "./health.ts";
import { pick, soonest, type PickOptions, type Rests } from "./pick.ts";
import { channelKeyIdOf, type RestScope, type Route } from "./rest-scope.ts";
import type { Candidate } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";

/** A route to try, and whether it is tried only because there is no other. */
export interface ChosenRoute {
  readonly route: Route;
  readonly isLastResort: boolean;
}

/** Chooses the routes of one call, one after the other. */
export class RouteChooser {
  readonly #plan: Pick<AttemptPlan<unknown>, "candidates" | "prefer" | "choice">;
  readonly #options: Pick<PickOptions, "random" | "turn" | "score">;
  readonly #rests: Rests;
  readonly #passed = new Set<RestScope>();
  readonly #away: TurnedAway[] = [];
  #again: ChosenRoute | undefined;
  /** When what rests may be tried by this call's account because there is no other. */
  readonly lastResort: Rests;

  constructor(
    plan: Pick<AttemptPlan<unknown>, "account" | "candidates" | "prefer" | "choice">,
    health: Health,
    options: Pick<PickOptions, "random" | "turn" | "score">,
  ) {
    this.#plan = plan;
    this.#options = options;
    this.#rests = health.restsOf(plan.account);
    this.lastResort = health.lastResortOf(plan.account);
  }

  /** What was found full, or being tried by another call. */
  get away(): readonly TurnedAway[] {
    return this.#away;
  }

  /**
   * The next route; undefined where none is left. `isFirst`: nothing was tried yet. Then a route that rests, or that another
   * call is trying, is better than none: no model is out altogether because of its calls' failures.
   */
  next(isFirst: boolean): ChosenRoute | undefined {
    const again = this.#again;
    this.#again = undefined;
    if (again !== undefined) return again;
    const route = this.#pick(
      this.#rests,
      (at) => this.#passed.has(channelKeyIdOf(at)) || this.#passed.has(channelOf(at)),
    );
    if (route !== undefined) return { route, isLastResort: false };
    const resort = isFirst ? this.#pick(this.lastResort, (at) => this.#isFull(at)) : undefined;
    return resort && { route: resort, isLastResort: true };
  }

  tried(route: Route): void {
    this.#passed.add(channelKeyIdOf(route));
  }

  turnedAway(why: TurnedAway): void {
    this.#away.push(why);
    this.#passed.add(why.scope);
  }

  /** The same route is to be tried once more, with another request. */
  retry(chosen: ChosenRoute): void {
    this.#passed.delete(channelKeyIdOf(chosen.route));
    if (chosen.isLastResort) this.#again = chosen;
  }

  #pick(rests: Rests, excluded: (route: Route) => boolean): Route | undefined {
    const { candidates, prefer, choice } = this.#plan;
    return pick(candidates, { ...this.#options, rests, excluded, prefer, choice });
  }

  #isFull(route: Route): boolean {
    return this.#away.some(
      ({ why, scope }) => why === "full" && (scope === channelKeyIdOf(route) || scope === channelOf(route)),
    );
  }
}

function channelOf({ candidate }: Route): string {
  return candidate.channel.id;
}

/** The `retry-after` where it is unknown when a channel may be used again. */
const unknownRestSeconds = 30;

/**
 * Why no attempt could be made, with when to ask again: 429 where a channel is at its limit, 503 where all rest, are
 * being tried by another call, or are switched off.
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
