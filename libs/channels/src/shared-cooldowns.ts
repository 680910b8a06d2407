import type { Logger, Redis } from "@modelgate/platform";
import { showStates } from "./channel-metrics.ts";
import { getOrCreate } from "./evidence.ts";
import { followStates, type FollowedStates } from "./follow-states.ts";
import { cooldownName, type ChannelScope } from "./channel-scope.ts";
import { countShortCooldown } from "./short-cooldowns.ts";
import { endCooldowns, storeCooldown, type Cooldown, type CooldownKind } from "./state.ts";
import { withoutUndefined } from "@modelgate/contracts";

/** Maximum cooldowns of single accounts. If there are more, the oldest is ended. */
const maxAccountCooldowns = 1_000;
/** Maximum scopes whose earlier cooldowns are remembered. */
const maxRemembered = 2_000;

export interface SharedCooldownsOptions {
  readonly redis: Redis;
  readonly log: Logger;
  /** Receives the name of each cooldown that another process ended. */
  readonly onEnded: (name: string) => void;
}

/** Cooldowns of all channels, keys and models that this process or another replica started. */
export class SharedCooldowns implements AsyncDisposable {
  readonly #options: SharedCooldownsOptions;
  readonly #states: FollowedStates;
  /**
   * Number of consecutive cooldowns before the last one ended, by cooldown name. Stored until a call completes, so that
   * a failure before that continues the count.
   */
  readonly #earlierCooldowns = new Map<string, { readonly consecutiveCooldowns: number }>();

  private constructor(options: SharedCooldownsOptions, states: FollowedStates) {
    this.#options = options;
    this.#states = states;
    showStates(states);
  }

  static async open(options: SharedCooldownsOptions): Promise<SharedCooldowns> {
    const { redis, log, onEnded } = options;
    return new SharedCooldowns(options, await followStates({ redis, log, onEnded }));
  }

  get isQuiet(): boolean {
    const { cooldowns, accountCooldowns, switchedOff } = this.#states;
    return cooldowns.size + accountCooldowns.size + switchedOff.size === 0;
  }

  isOff(scope: ChannelScope): boolean {
    return this.#states.switchedOff.has(scope);
  }

  /** Returns the latest cooldown of a scope, for all accounts or for one. It may have ended. */
  latest(scope: ChannelScope, account?: string): Cooldown | undefined {
    const { cooldowns, accountCooldowns } = this.#states;
    return account === undefined ? cooldowns.get(scope) : accountCooldowns.get(cooldownName(scope, account));
  }

  /** Starts a cooldown. `seenBy` describes the call that failed, for the log. */
  begin(
    scope: ChannelScope,
    cause: Omit<CooldownCause, "earlierCooldowns" | "vendorMessage">,
    seenBy?: { readonly vendorMessage?: string | undefined },
  ): void {
    const { redis, log } = this.#options;
    const { account, kind, reason } = cause;
    const name = cooldownName(scope, account);
    const current = this.latest(scope, account);
    const now = Date.now();
    const earlierCooldowns =
      current?.consecutiveCooldowns ?? this.#earlierCooldowns.get(name)?.consecutiveCooldowns ?? 0;
    const vendorMessage = seenBy?.vendorMessage?.replaceAll(/\s+/g, " ");
    const cooldown = nextCooldown(current, { ...cause, earlierCooldowns, vendorMessage }, now);
    if (cooldown === undefined) return;
    const line = { scope, account, reason, durationMs: cooldown.until - now, ...seenBy };
    if (kind === "refused") log.error(line, "a vendor refuses a key; it is retried after a cooldown");
    else log.warn(line, "channel cooldown starts");
    if (account === undefined) this.#states.cooldowns.set(scope, cooldown);
    else this.#storeAccountCooldown(name, cooldown);
    this.#states.runInBackground(storeCooldown(redis, name, cooldown));
    this.#states.runInBackground(countShortCooldown(redis, scope, cooldown));
  }

  /** Records the start of an answer to a call. Returns true if this ended a cooldown. `sentAt` is in Unix ms. */
  reportAnswer(scope: ChannelScope, account: string | undefined, sentAt: number): boolean {
    const cooldown = this.latest(scope, account);
    if (cooldown === undefined) return false;
    // A call that was sent before the cooldown does not show that the scope works again. A cooldown that the vendor
    // requested, or that follows a refused key, is not ended early.
    if (isCoolingDown(cooldown, Date.now()) && (cooldown.kind !== "failing" || sentAt < Date.parse(cooldown.since)))
      return false;
    const { redis, log } = this.#options;
    const { cooldowns, accountCooldowns, runInBackground } = this.#states;
    const name = cooldownName(scope, account);
    (account === undefined ? cooldowns : accountCooldowns).delete(name);
    getOrCreate(this.#earlierCooldowns, name, maxRemembered, () => ({
      consecutiveCooldowns: cooldown.consecutiveCooldowns,
    }));
    log.info({ scope, account }, "channel works again");
    runInBackground(endCooldowns(redis, [name]));
    return true;
  }

  /** Records a completed answer. The next cooldown of these scopes has the shortest length again. */
  reportSuccess(scopes: () => readonly (readonly [scope: ChannelScope, account: string | undefined])[]): void {
    if (this.#earlierCooldowns.size === 0) return;
    for (const [scope, account] of scopes()) this.#earlierCooldowns.delete(cooldownName(scope, account));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#states[Symbol.asyncDispose]());
  }

  #storeAccountCooldown(name: string, cooldown: Cooldown): void {
    const { accountCooldowns, runInBackground } = this.#states;
    const [oldest] = accountCooldowns.keys();
    if (accountCooldowns.size >= maxAccountCooldowns && !accountCooldowns.has(name) && oldest !== undefined) {
      accountCooldowns.delete(oldest);
      runInBackground(endCooldowns(this.#options.redis, [oldest]));
    }
    accountCooldowns.set(name, cooldown);
  }
}

/** Length of a cooldown after failures, in ms. Each consecutive cooldown is twice as long. */
const failingMs = { first: 5_000, longest: 300_000 } as const;
/** Length of a cooldown of a refused key, in ms. Each consecutive cooldown is twice as long. */
const refusedMs = { first: 60_000, longest: 3_600_000 } as const;

/** Failure that starts a cooldown. */
export interface CooldownCause {
  readonly kind: CooldownKind;
  readonly reason: string;
  /** Delay that the vendor requested; it replaces the usual length. */
  readonly retryAfterMs?: number | undefined;
  /** Number of consecutive cooldowns before this one. */
  readonly earlierCooldowns: number;
  readonly account?: string | undefined;
  readonly vendorMessage?: string | undefined;
}

/** Returns true if a cooldown has not ended yet. */
export function isCoolingDown(cooldown: Cooldown | undefined, now: number): boolean {
  return cooldown !== undefined && cooldown.until > now;
}

/** Returns the cooldown that a cause starts; undefined if the scope is in a longer one already. */
export function nextCooldown(current: Cooldown | undefined, cause: CooldownCause, now: number): Cooldown | undefined {
  const { kind, reason, retryAfterMs, account, vendorMessage } = cause;
  const isActive = isCoolingDown(current, now);
  if (isActive && now + (retryAfterMs ?? 0) <= (current?.until ?? 0)) return undefined;
  const consecutiveCooldowns = isActive ? (current?.consecutiveCooldowns ?? 1) : cause.earlierCooldowns + 1;
  const { first, longest } = kind === "refused" ? refusedMs : failingMs;
  const durationMs = retryAfterMs ?? Math.min(first * 2 ** (consecutiveCooldowns - 1), longest);
  const since = new Date(now).toISOString();
  return withoutUndefined({
    kind,
    reason,
    since,
    until: now + durationMs,
    consecutiveCooldowns,
    account,
    vendorMessage,
  });
}
