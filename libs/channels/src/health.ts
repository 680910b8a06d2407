import type { Candidate, ChannelKey } from "@modelgate/catalog";
import type { Logger, Redis } from "@modelgate/platform";
import { findBlamedExtent, type Extent, type BlamedFailure } from "./blame.ts";
import { Evidence, getOrCreate, type EvidenceSource, type FailureEvidence } from "./evidence.ts";
import {
  channelKeyIdOf,
  channelOfScope,
  isWithin,
  keyModelScopeOf,
  modelScopeOf,
  nameInChannel,
  parseCooldownName,
  cooldownName,
  type ChannelScope,
  type Route,
} from "./channel-scope.ts";
import { isCoolingDown, SharedCooldowns } from "./shared-cooldowns.ts";
import type { Cooldown } from "./state.ts";

/** Times in Unix ms from which a channel or key may be used again. 0 means now, Infinity means switched off. */
export interface Cooldowns {
  /** Returns the time for the candidate's channel and model. */
  ofChannel(candidate: Candidate): number;
  /** Returns the time for one key and the candidate's model. */
  ofKey(candidate: Candidate, key: ChannelKey): number;
}

/** Route of an attempt, and the account that makes the call. */
export interface Attempt {
  readonly route: Route;
  readonly account: string;
}

/** The call that saw a failure, for the log. */
export interface SeenBy {
  readonly callId: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly status?: number | undefined;
  readonly vendorCode?: string | undefined;
  readonly vendorMessage?: string | undefined;
  readonly upstreamRequestId?: string | undefined;
}

/** A failure of a channel, a key or a model. */
export interface Blame extends FailureEvidence {
  readonly seenBy?: SeenBy | undefined;
  readonly reason: string;
  /** Delay that the vendor requested. */
  readonly retryAfterMs?: number | undefined;
  /** True if the vendor refused the key. */
  readonly isRefusal?: boolean | undefined;
}

/** A scope whose cooldown has ended, but where no call has worked since. One call at a time may test it. */
export interface UnprovenScope {
  /** Scope to skip while another call tests this one: a channel, or one `channel/key`. */
  readonly skipScope: ChannelScope;
  /** Name of the test, unique within the channel. */
  readonly probe: string;
}

/** States of channels, keys and models: they decide which routes an account may use now. */
export interface Health extends AsyncDisposable {
  /** True if there are no cooldowns and nothing is switched off. */
  readonly isQuiet: boolean;
  /** Returns the cooldowns that concern an account; undefined if nothing is in a cooldown or switched off. */
  cooldownsOf(account: string): Cooldowns | undefined;
  /**
   * Returns the times from which an account may use routes in spite of their cooldowns, if no other route is usable.
   */
  lastResortOf(account: string): Cooldowns;
  /** Records that a call uses a route in spite of its cooldown. */
  recordLastResort(attempt: Attempt): void;
  unprovenScopes(attempt: Attempt): readonly UnprovenScope[];
  reportFailure(attempt: Attempt, blame: Blame): void;
  /** Records the start of the answer to a call that was sent at `sentAt` (Unix ms). */
  reportAnswer(attempt: Attempt, sentAt: number): void;
  /** Records that an answer was complete. */
  reportSuccess(attempt: Attempt): void;
}

/** Reads and shares the states through Redis. If Redis fails later, this process uses its copy of the states. */
export async function openHealth({ redis, log }: { redis: Redis; log: Logger }): Promise<Health> {
  const evidence = new Evidence();
  const onEnded = (name: string): void => {
    const { scope, account } = parseCooldownName(name);
    evidence.dropFailures(channelOfScope(scope), account);
  };
  return new SharedHealth(evidence, await SharedCooldowns.open({ redis, log, onEnded }));
}

class SharedHealth implements Health {
  readonly #evidence: Evidence;
  readonly #cooldowns: SharedCooldowns;
  readonly #lastResort = new LastResort();

  constructor(evidence: Evidence, cooldowns: SharedCooldowns) {
    this.#evidence = evidence;
    this.#cooldowns = cooldowns;
  }

  get isQuiet(): boolean {
    return this.#cooldowns.isQuiet;
  }

  cooldownsOf(account: string): Cooldowns | undefined {
    return this.#cooldowns.isQuiet ? undefined : new AccountCooldowns(this.#cooldowns, account);
  }

  lastResortOf(account: string): Cooldowns {
    // A cooldown after failures is an estimate and may be tested. A cooldown that the vendor requested, or that follows
    // a refused key, must end first.
    const until = (scope: ChannelScope): number => {
      const cooldown = this.#cooldowns.latest(scope, account);
      return Math.max(this.#switchedOffUntil(scope), cooldown?.kind === "failing" ? 0 : endOf(cooldown));
    };
    return {
      ofChannel: (candidate) => {
        const next = this.#lastResort.nextAllowedAt(modelScopeOf(candidate), account);
        return Math.max(latestOf(channelScopes(candidate), until), next > Date.now() ? next : 0);
      },
      ofKey: (candidate, key) => latestOf(keyScopes({ candidate, key }), until),
    };
  }

  recordLastResort({ route, account }: Attempt): void {
    this.#lastResort.recordCall(modelScopeOf(route.candidate), account, Date.now());
  }

  unprovenScopes({ route, account }: Attempt): readonly UnprovenScope[] {
    if (this.#cooldowns.isQuiet) return [];
    const { id } = route.candidate.channel;
    return scopesOf(route, account)
      .filter(([scope, affected]) => this.#cooldowns.latest(scope, affected) !== undefined)
      .map(([scope, affected]) => ({
        skipScope: isWithin(scope, channelKeyIdOf(route)) ? channelKeyIdOf(route) : id,
        probe: nameInChannel(id, scope, affected),
      }));
  }

  reportFailure(attempt: Attempt, blame: Blame): void {
    const { route, account } = attempt;
    const { id } = route.candidate.channel;
    const { of, body, isNeverClientFault, reason, retryAfterMs } = blame;
    const now = Date.now();
    this.#evidence.add(id, evidenceSourceOf(attempt), { at: now, failed: { of, body, isNeverClientFault } });
    this.#lastResort.reportFailure(modelScopeOf(route.candidate), account, now);
    const isOnProbation = (extent: Extent): boolean => {
      const cooldown = this.#cooldowns.latest(
        scopeOfExtent(route, of, extent),
        extent.accounts === "one account" ? account : undefined,
      );
      return cooldown !== undefined && !isCoolingDown(cooldown, now);
    };
    const extent = findBlamedExtent(
      this.#evidence.recentTallies(id, now),
      blamedFailureOf(attempt, blame, isOnProbation),
      now,
    );
    if (extent === undefined) return;
    const kind = blame.isRefusal === true ? "refused" : retryAfterMs === undefined ? "failing" : "throttled";
    const affected = extent.accounts === "one account" ? account : undefined;
    this.#cooldowns.begin(
      scopeOfExtent(route, of, extent),
      { kind, reason, retryAfterMs, account: affected },
      blame.seenBy,
    );
  }

  reportAnswer({ route, account }: Attempt, sentAt: number): void {
    if (this.#cooldowns.isQuiet) return;
    for (const [scope, affected] of scopesOf(route, account))
      if (this.#cooldowns.reportAnswer(scope, affected, sentAt))
        this.#evidence.dropFailures(route.candidate.channel.id, affected);
  }

  reportSuccess(attempt: Attempt): void {
    const { route, account } = attempt;
    this.#evidence.add(route.candidate.channel.id, evidenceSourceOf(attempt), { at: Date.now() });
    this.#lastResort.reportSuccess(modelScopeOf(route.candidate), account);
    this.#cooldowns.reportSuccess(() => scopesOf(route, account));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cooldowns[Symbol.asyncDispose]();
  }

  #switchedOffUntil(scope: ChannelScope): number {
    return this.#cooldowns.isOff(scope) ? Infinity : 0;
  }
}

/** The cooldowns that concern one account: those for all accounts, and its own. */
class AccountCooldowns implements Cooldowns {
  readonly #cooldowns: SharedCooldowns;
  readonly #account: string;

  constructor(cooldowns: SharedCooldowns, account: string) {
    this.#cooldowns = cooldowns;
    this.#account = account;
  }

  ofChannel(candidate: Candidate): number {
    return latestOf(channelScopes(candidate), (scope) => this.#until(scope));
  }

  ofKey(candidate: Candidate, key: ChannelKey): number {
    return latestOf(keyScopes({ candidate, key }), (scope) => this.#until(scope));
  }

  #until(scope: ChannelScope): number {
    const cooldowns = this.#cooldowns;
    if (cooldowns.isOff(scope)) return Infinity;
    return Math.max(endOf(cooldowns.latest(scope)), endOf(cooldowns.latest(scope, this.#account)));
  }
}

function blamedFailureOf(
  attempt: Attempt,
  failed: Blame,
  isOnProbation: BlamedFailure["isOnProbation"],
): BlamedFailure {
  const isRefusal = failed.isRefusal === true;
  return {
    ...evidenceSourceOf(attempt),
    failed,
    isExplicit: isRefusal || failed.retryAfterMs !== undefined,
    concernsAllModels: isRefusal || attempt.route.candidate.channel.models.size < 2,
    isOnProbation,
  };
}

/** Returns the end of a cooldown in Unix ms; 0 if it has ended. */
function endOf(cooldown: Cooldown | undefined): number {
  return cooldown !== undefined && isCoolingDown(cooldown, Date.now()) ? cooldown.until : 0;
}

function channelScopes(candidate: Candidate): readonly ChannelScope[] {
  return [candidate.channel.id, modelScopeOf(candidate)];
}

function keyScopes(route: Route): readonly ChannelScope[] {
  return [channelKeyIdOf(route), keyModelScopeOf(route)];
}

/** Lists the scopes of a route, each for all accounts and for the call's account. */
function scopesOf(
  route: Route,
  account: string,
): readonly (readonly [scope: ChannelScope, account: string | undefined])[] {
  return [...channelScopes(route.candidate), ...keyScopes(route)].flatMap(
    (scope) =>
      [
        [scope, undefined],
        [scope, account],
      ] as const,
  );
}

/** Returns the scope that a failure puts into a cooldown. `of` is the part of the route that failed. */
function scopeOfExtent(route: Route, of: FailureEvidence["of"], extent: Extent): ChannelScope {
  if (of === "key") return extent.models === "all models" ? channelKeyIdOf(route) : keyModelScopeOf(route);
  return extent.models === "all models" ? route.candidate.channel.id : modelScopeOf(route.candidate);
}

function evidenceSourceOf({ route, account }: Attempt): EvidenceSource {
  return { account, model: route.candidate.upstreamModel, key: route.key.id };
}

function latestOf(scopes: readonly ChannelScope[], until: (scope: ChannelScope) => number): number {
  return scopes.reduce((latestEnd, scope) => Math.max(latestEnd, until(scope)), 0);
}

/**
 * First delay in ms of an account after a failed call in spite of a cooldown. Each further failure doubles the delay.
 */
const firstDelayMs = 250;
/** Maximum delay in ms of an account after failed calls in spite of a cooldown. */
const maxDelayMs = 10_000;
/** Maximum combinations of account, channel and model. The least recently used one is dropped. */
const maxCounted = 2_000;

/** Limits how often an account may use a channel in spite of its cooldown. */
export class LastResort {
  readonly #counted = new Map<string, { failures: number; at: number }>();

  /** Returns the time, in Unix ms, from which the account may use the scope again. */
  nextAllowedAt(scope: ChannelScope, account: string): number {
    const counted = this.#counted.get(cooldownName(scope, account));
    return counted === undefined ? 0 : counted.at + Math.min(firstDelayMs * 2 ** (counted.failures - 1), maxDelayMs);
  }

  /** Records a call of an account whose calls have failed. The next one must wait. */
  recordCall(scope: ChannelScope, account: string, now: number): void {
    const counted = this.#counted.get(cooldownName(scope, account));
    if (counted !== undefined) counted.at = now;
  }

  reportFailure(scope: ChannelScope, account: string, now: number): void {
    const counted = getOrCreate(this.#counted, cooldownName(scope, account), maxCounted, () => ({
      failures: 0,
      at: now,
    }));
    counted.failures++;
    counted.at = now;
  }

  reportSuccess(scope: ChannelScope, account: string): void {
    if (this.#counted.size > 0) this.#counted.delete(cooldownName(scope, account));
  }
}
