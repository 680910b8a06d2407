import type { Logger, Redis } from "@modelgate/platform";
import { showStates } from "./channel-metrics.ts";
import { getOrCreate } from "./evidence.ts";
import { followStates, type FollowedStates } from "./follow-states.ts";
import { restName, type RestScope } from "./rest-scope.ts";
import { endRests, shareRest, type CoolDown, type RestKind } from "./state.ts";
import { present } from "@modelgate/contracts";

/** Maximum rests of single accounts that are kept and shared; beyond it the oldest ends. */
const maxAccountRests = 1_000;
/** Rests that were ended by an answer whose lengths are remembered until a call there has come to its end. */
const maxRemembered = 2_000;

/** Dependencies of the rests. */
export interface SharedRestsOptions {
  readonly redis: Redis;
  readonly log: Logger;
  /** Gets the name of each rest that another replica or an operator ended. */
  readonly ended: (name: string) => void;
}

/** The rests of all channels and their parts, as this process and the other replicas found them. */
export class SharedRests implements AsyncDisposable {
  readonly #options: SharedRestsOptions;
  readonly #states: FollowedStates;
  /** Rests in a row of scopes that were answered since, and have not worked yet. */
  readonly #before = new Map<string, { readonly rests: number }>();

  private constructor(options: SharedRestsOptions, states: FollowedStates) {
    this.#options = options;
    this.#states = states;
    showStates(states);
  }

  static async open(options: SharedRestsOptions): Promise<SharedRests> {
    const { redis, log, ended: forgotten } = options;
    return new SharedRests(options, await followStates({ redis, log, forgotten }));
  }

  /** Nothing rests and nothing is switched off. */
  get isQuiet(): boolean {
    const { coolDowns, accountRests, switched } = this.#states;
    return coolDowns.size + accountRests.size + switched.size === 0;
  }

  isOff(scope: RestScope): boolean {
    return this.#states.switched.has(scope);
  }

  /** The rest of a scope for all, or for one account; over or not. */
  at(scope: RestScope, account?: string): CoolDown | undefined {
    const { coolDowns, accountRests } = this.#states;
    return account === undefined ? coolDowns.get(scope) : accountRests.get(restName(scope, account));
  }

  /** Begins a rest; `seenBy` is the call whose failure was the last straw, for the log. */
  begin(
    scope: RestScope,
    cause: Omit<RestCause, "before" | "vendorMessage">,
    seenBy?: { readonly vendorMessage?: string | undefined },
  ): void {
    const { redis, log } = this.#options;
    const { account, kind, reason } = cause;
    const name = restName(scope, account);
    const known = this.at(scope, account);
    const now = Date.now();
    const before = known?.rests ?? this.#before.get(name)?.rests ?? 0;
    const vendorMessage = seenBy?.vendorMessage?.replaceAll(/\s+/g, " ");
    const rest = restFor(known, { ...cause, before, vendorMessage }, now);
    if (rest === undefined) return;
    const line = { scope, account, reason, restMs: rest.until - now, ...seenBy };
    if (kind === "refused") log.error(line, "a vendor refuses a key: it is tried again after a pause");
    else log.warn(line, "channel rests");
    if (account === undefined) this.#states.coolDowns.set(scope, rest);
    else this.#keepAccountRest(name, rest);
    this.#states.share(shareRest(redis, name, rest));
  }

  /** An answer began to a call that was sent at that time; whether that ended a rest. */
  answered(scope: RestScope, account: string | undefined, sentAt: number): boolean {
    const rest = this.at(scope, account);
    if (rest === undefined) return false;
    // What was sent before the rest proves nothing, and a pause that a vendor named holds.
    if (isResting(rest, Date.now()) && (rest.kind !== "failing" || sentAt < Date.parse(rest.since))) return false;
    const { redis, log } = this.#options;
    const { coolDowns, accountRests, share } = this.#states;
    const name = restName(scope, account);
    (account === undefined ? coolDowns : accountRests).delete(name);
    getOrCreate(this.#before, name, maxRemembered, () => ({ rests: rest.rests }));
    log.info({ scope, account }, "channel works again");
    share(endRests(redis, [name]));
    return true;
  }

  /** An answer came to its end: the next rest of these scopes is of the first length. */
  worked(scopes: () => readonly (readonly [scope: RestScope, account: string | undefined])[]): void {
    if (this.#before.size === 0) return;
    for (const [scope, account] of scopes()) this.#before.delete(restName(scope, account));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#states[Symbol.asyncDispose]());
  }

  #keepAccountRest(name: string, rest: CoolDown): void {
    const { accountRests, share } = this.#states;
    const [oldest] = accountRests.keys();
    if (accountRests.size >= maxAccountRests && !accountRests.has(name) && oldest !== undefined) {
      accountRests.delete(oldest);
      share(endRests(this.#options.redis, [oldest]));
    }
    accountRests.set(name, rest);
  }
}

/** First and longest rest of a scope whose calls fail: each rest in a row is twice as long as the one before. */
const failingMs = { first: 5_000, longest: 300_000 } as const;
/** First and longest pause before a key that its vendor refuses is tried again, likewise. */
const refusedMs = { first: 60_000, longest: 3_600_000 } as const;

/** Cause of a rest. */
export interface RestCause {
  readonly kind: RestKind;
  readonly reason: string;
  /** Pause that the vendor named: taken unchanged. */
  readonly retryAfterMs?: number | undefined;
  /** Rests in a row before this one. */
  readonly before: number;
  readonly account?: string | undefined;
  /** The vendor's message, in one line. */
  readonly vendorMessage?: string | undefined;
}

/** Returns whether a scope rests now. */
export function isResting(coolDown: CoolDown | undefined, now: number): boolean {
  return coolDown !== undefined && coolDown.until > now;
}

/**
 * The rest that a cause begins; undefined while the scope rests already, for calls that were under way when the rest
 * began fail with it and say nothing new, unless a vendor named the new rest and it is longer.
 */
export function restFor(known: CoolDown | undefined, cause: RestCause, now: number): CoolDown | undefined {
  const { kind, reason, retryAfterMs, account, vendorMessage } = cause;
  const resting = isResting(known, now);
  if (resting && now + (retryAfterMs ?? 0) <= (known?.until ?? 0)) return undefined;
  const rests = resting ? (known?.rests ?? 1) : cause.before + 1;
  const { first, longest } = kind === "refused" ? refusedMs : failingMs;
  const restMs = retryAfterMs ?? Math.min(first * 2 ** (rests - 1), longest);
  const since = new Date(now).toISOString();
  return present({ kind, reason, since, until: now + restMs, rests, account, vendorMessage });
}
