import type { Candidate } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";
import { judge, type Judged, type Scope } from "./blame.ts";
import { Evidence, type FailureSeen, type Subject } from "./evidence.ts";
import { LastResort } from "./last-resort.ts";
import { keyModelPlaceOf, modelPlaceOf, placeOf, type Rests, type Way } from "./pick.ts";
import { isResting } from "./rest.ts";
import { SharedRests } from "./shared-rests.ts";
import { placeOfRest, restName, type CoolDown } from "./state.ts";

/** A call's way and account. */
export interface Attempt {
  readonly way: Way;
  readonly account: string;
}

/** The call that saw a failure, for the log line of what comes of it. */
export interface SeenBy {
  readonly callId: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly status?: number | undefined;
  readonly vendorCode?: string | undefined;
  /** What the vendor said, bounded. */
  readonly said?: string | undefined;
  readonly upstreamRequestId?: string | undefined;
}

/** A failure that somebody is to be blamed for. */
export interface Blame extends FailureSeen {
  readonly seenBy?: SeenBy | undefined;
  readonly reason: string;
  /** The rest that the vendor asked for. */
  readonly askedMs?: number | undefined;
  /** The vendor refuses the key. */
  readonly isRefusal?: boolean | undefined;
}

/** A place that has rested and has not worked since: one call at a time may try it. */
export interface Unproven {
  /** What to leave out meanwhile: a channel, or one `channel/key`. */
  readonly leaveOut: string;
  /** The name of the trial, within the channel. */
  readonly trial: string;
}

/**
 * Which channels, keys and models may be used now, and by whom. Looking is a few map accesses, and none where nothing
 * rests; sharing happens off the calls' path.
 */
export interface Health extends AsyncDisposable {
  /** The rests that concern an account. */
  restsOf(account: string): Rests;
  /** What is left for an account where all ways rest: what it may try nevertheless, or when. */
  lastResortOf(account: string): Rests;
  /** A call of the account goes where nothing but rests is. */
  resorts(attempt: Attempt): void;
  unproven(attempt: Attempt): readonly Unproven[];
  failed(attempt: Attempt, blame: Blame): void;
  /** An answer to a call sent at that time (Unix ms) began: the rest is over. */
  answered(attempt: Attempt, sentAt: number): void;
  /** An answer came to its end. */
  worked(attempt: Attempt): void;
}

/** Follows and shares the channels' states through Redis; without Redis this process goes by what it saw itself. */
export async function openHealth({ redis, log }: { redis: Redis; log: Logger }): Promise<Health> {
  const evidence = new Evidence();
  const ended = (name: string): void => evidence.forgive(channelIdOf(placeOfRest(name)), accountOfName(name));
  return new SharedHealth(evidence, await SharedRests.open({ redis, log, ended }));
}

class SharedHealth implements Health {
  readonly #evidence: Evidence;
  readonly #rests: SharedRests;
  readonly #lastResort = new LastResort();

  constructor(evidence: Evidence, rests: SharedRests) {
    this.#evidence = evidence;
    this.#rests = rests;
  }

  restsOf(account: string): Rests {
    const rests = this.#rests;
    const until = (place: string): number =>
      Math.max(this.#off(place), endOf(rests.at(place)), endOf(rests.at(place, account)));
    return {
      ofChannel: (candidate) => (rests.isQuiet ? 0 : latest(channelPlaces(candidate), until)),
      ofKey: (candidate, key) => (rests.isQuiet ? 0 : latest(keyPlaces({ candidate, key }), until)),
    };
  }

  lastResortOf(account: string): Rests {
    // What the vendor said to this account holds; every other rest is a guess that may be tried.
    const until = (place: string): number => {
      const rest = this.#rests.at(place, account);
      return Math.max(this.#off(place), rest?.kind === "failing" ? 0 : endOf(rest));
    };
    return {
      ofChannel: (candidate) => {
        const next = this.#lastResort.next(modelPlaceOf(candidate), account);
        return Math.max(latest(channelPlaces(candidate), until), next > Date.now() ? next : 0);
      },
      ofKey: (candidate, key) => latest(keyPlaces({ candidate, key }), until),
    };
  }

  resorts({ way, account }: Attempt): void {
    this.#lastResort.goes(modelPlaceOf(way.candidate), account, Date.now());
  }

  unproven({ way, account }: Attempt): readonly Unproven[] {
    if (this.#rests.isQuiet) return [];
    const { id } = way.candidate.channel;
    return scopesOf(way, account)
      .filter(([place, who]) => this.#rests.at(place, who) !== undefined)
      .map(([place, who]) => ({
        leaveOut: place.startsWith(placeOf(way)) ? placeOf(way) : id,
        trial: restName(place.slice(id.length), who),
      }));
  }

  failed(attempt: Attempt, blame: Blame): void {
    const { way, account } = attempt;
    const { id } = way.candidate.channel;
    const { of, body, isCertain, reason, askedMs } = blame;
    const now = Date.now();
    this.#evidence.add(id, subjectOf(attempt), { at: now, failed: { of, body, isCertain } });
    this.#lastResort.failed(modelPlaceOf(way.candidate), account, now);
    const onProbation = (scope: Scope): boolean => {
      const rest = this.#rests.at(placeOfScope(way, of, scope), scope.for === "account" ? account : undefined);
      return rest !== undefined && !isResting(rest, now);
    };
    const scope = judge(this.#evidence.at(id, now), judged(attempt, blame, onProbation), now);
    if (scope === undefined) return;
    const kind = blame.isRefusal === true ? "refused" : askedMs === undefined ? "failing" : "asked";
    const who = scope.for === "account" ? account : undefined;
    this.#rests.begin(placeOfScope(way, of, scope), { kind, reason, askedMs, account: who }, blame.seenBy);
  }

  answered({ way, account }: Attempt, sentAt: number): void {
    if (this.#rests.isQuiet) return;
    for (const [place, who] of scopesOf(way, account))
      if (this.#rests.answered(place, who, sentAt)) this.#evidence.forgive(way.candidate.channel.id, who);
  }

  worked(attempt: Attempt): void {
    const { way, account } = attempt;
    this.#evidence.add(way.candidate.channel.id, subjectOf(attempt), { at: Date.now() });
    this.#lastResort.worked(modelPlaceOf(way.candidate), account);
    this.#rests.worked(() => scopesOf(way, account));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#rests[Symbol.asyncDispose]();
  }

  #off(place: string): number {
    return this.#rests.isOff(place) ? Infinity : 0;
  }
}

function judged(attempt: Attempt, failed: Blame, onProbation: Judged["onProbation"]): Judged {
  const isRefusal = failed.isRefusal === true;
  return {
    ...subjectOf(attempt),
    failed,
    isSaid: isRefusal || failed.askedMs !== undefined,
    wholeAtOnce: isRefusal || attempt.way.candidate.channel.models.size < 2,
    onProbation,
  };
}

/** When a rest that is not over ends, Unix ms; else 0. */
function endOf(rest: CoolDown | undefined): number {
  return rest !== undefined && isResting(rest, Date.now()) ? rest.until : 0;
}

function channelPlaces(candidate: Candidate): readonly string[] {
  return [candidate.channel.id, modelPlaceOf(candidate)];
}

function keyPlaces(way: Way): readonly string[] {
  return [placeOf(way), keyModelPlaceOf(way)];
}

/** Everything that a call's outcome can speak for: each place, for all and for its account. */
function scopesOf(way: Way, account: string): readonly (readonly [place: string, account: string | undefined])[] {
  return [...channelPlaces(way.candidate), ...keyPlaces(way)].flatMap(
    (place) =>
      [
        [place, undefined],
        [place, account],
      ] as const,
  );
}

/** Where a scope of a failure lies. */
function placeOfScope(way: Way, of: FailureSeen["of"], scope: Scope): string {
  if (of === "key") return scope.of === "whole" ? placeOf(way) : keyModelPlaceOf(way);
  return scope.of === "whole" ? way.candidate.channel.id : modelPlaceOf(way.candidate);
}

function subjectOf({ way, account }: Attempt): Subject {
  return { account, model: way.candidate.upstreamModel, key: way.key.id };
}

function latest(places: readonly string[], until: (place: string) => number): number {
  return places.reduce((most, place) => Math.max(most, until(place)), 0);
}

/** Identifiers of channels hold neither of the two. */
function channelIdOf(place: string): string {
  return /^[^/#]*/.exec(place)?.[0] ?? place;
}

function accountOfName(name: string): string | undefined {
  const place = placeOfRest(name);
  return name === place ? undefined : name.slice(place.length + 1);
}
