import type { Logger, Redis } from "@modelgate/platform";
import { showStates } from "./channel-metrics.ts";
import { getOrCreate } from "./evidence.ts";
import { followStates, type FollowedStates } from "./follow-states.ts";
import { restName, type RestScope } from "./rest-scope.ts";
import { endRests, shareRest, type CoolDown, type RestKind } from "./state.ts";
import { present } from "@modelgate/contracts";

/** Maximum cooldowns for single accounts that are kept and shared; if there are more, the oldest is ended. */
const maxAccountRests = 1_000;
/** Maximum ended cooldowns whose numbers are remembered until a call has completed in their scope. */
const maxRemembered = 2_000;

/** Dependencies of `SharedRests`. */
export interface SharedRestsOptions {
  readonly redis: Redis;
  readonly log: Logger;
  /** Receives the name of each cooldown that another replica or an operator ended. */
  readonly ended: (name: string) => void;
}

/** Cooldowns of all channels, keys and models that this process or another replica started. */
export class SharedRests implements AsyncDisposable {
  readonly #options: SharedRestsOptions;
  readonly #states: FollowedStates;
  /**
   * Number of consecutive cooldowns, for each scope in which an answer has begun since the last one but no call has
   * completed.
   */
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

  /** Returns whether there are no cooldowns and nothing is switched off. */
  get isQuiet(): boolean {
    const { coolDowns, accountRests, switched } = this.#states;
    return coolDowns.size + accountRests.size + switched.size === 0;
  }

  isOff(scope: RestScope): boolean {
    return this.#states.switched.has(scope);
  }

  /** Returns the latest cooldown of a scope, for all accounts or for one. It may have ended. */
  at(scope: RestScope, account?: string): CoolDown | undefined {
    const { coolDowns, accountRests } = this.#states;
    return account === undefined ? coolDowns.get(scope) : accountRests.get(restName(scope, account));
  }

  /** Starts a cooldown. `seenBy` describes the call whose failure caused it, for the log. */
  begin(
    scope: RestScope,
    cause: Omit<RestCause, "before" | "vendorMessage">,
    seenBy?: { readonly vendorMessage?: string | undefined },
  ): void {
    const { redis, log } = this.#options;
    const { account, kind, reason } = cause;
    const name = restName(scope, account);
    const current = this.at(scope, account);
    const now = Date.now();
    const before = current?.rests ?? this.#before.get(name)?.rests ?? 0;
    const vendorMessage = seenBy?.vendorMessage?.replaceAll(/\s+/g, " ");
    const rest = restFor(current, { ...cause, before, vendorMessage }, now);
    if (rest === undefined) return;
    const line = { scope, account, reason, restMs: rest.until - now, ...seenBy };
    if (kind === "refused") log.error(line, "a vendor refuses a key: it is tried again after a pause");
    else log.warn(line, "channel rests");
    if (account === undefined) this.#states.coolDowns.set(scope, rest);
    else this.#keepAccountRest(name, rest);
    this.#states.share(shareRest(redis, name, rest));
  }

  /** Records that an answer has begun to a call that was sent at `sentAt`. Returns whether this ended a cooldown. */
  reportAnswer(scope: RestScope, account: string | undefined, sentAt: number): boolean {
    const rest = this.at(scope, account);
    if (rest === undefined) return false;
    // A call that was sent before the cooldown proves nothing, and a pause that the vendor requested is observed.
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

  /** Records a completed answer: the next cooldown of these scopes starts again with the shortest length. */
  reportSuccess(scopes: () => readonly (readonly [scope: RestScope, account: string | undefined])[]): void {
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

/**
 * First and maximum length of a cooldown after failures. Each consecutive cooldown is twice as long as the previous
 * one.
 */
const failingMs = { first: 5_000, longest: 300_000 } as const;
/** First and maximum length of a cooldown of a key that its vendor refuses; it doubles in the same way. */
const refusedMs = { first: 60_000, longest: 3_600_000 } as const;

/** Cause of a cooldown. */
export interface RestCause {
  readonly kind: RestKind;
  readonly reason: string;
  /** Pause that the vendor requested; it replaces the usual length. */
  readonly retryAfterMs?: number | undefined;
  /** Number of consecutive cooldowns before this one. */
  readonly before: number;
  readonly account?: string | undefined;
  /** The vendor's message, in one line. */
  readonly vendorMessage?: string | undefined;
}

/** Returns whether a cooldown has not ended yet. */
export function isResting(coolDown: CoolDown | undefined, now: number): boolean {
  return coolDown !== undefined && coolDown.until > now;
}

/**
 * Returns the cooldown that a cause starts. Undefined if the scope is in a cooldown already, because failures of calls
 * that were in progress when it began add no evidence. A longer pause that a vendor requested replaces the current one.
 */
export function restFor(current: CoolDown | undefined, cause: RestCause, now: number): CoolDown | undefined {
  const { kind, reason, retryAfterMs, account, vendorMessage } = cause;
  const resting = isResting(current, now);
  if (resting && now + (retryAfterMs ?? 0) <= (current?.until ?? 0)) return undefined;
  const rests = resting ? (current?.rests ?? 1) : cause.before + 1;
  const { first, longest } = kind === "refused" ? refusedMs : failingMs;
  const restMs = retryAfterMs ?? Math.min(first * 2 ** (rests - 1), longest);
  const since = new Date(now).toISOString();
  return present({ kind, reason, since, until: now + restMs, rests, account, vendorMessage });
}
