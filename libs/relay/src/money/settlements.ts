import {
  releaseWithRetry,
  renewHold,
  retryDuringOutage,
  settle,
  type Outbox,
  type Release,
  type Settlement,
} from "@modelgate/accounts";
import {
  failureFrom,
  idsOf,
  OpenList,
  registerLeaseCount,
  runOnSharedTick,
  type Logger,
  type Redis,
} from "@modelgate/platform";
import { holdsNotFound } from "./call-metrics.ts";
import type { Nanos, UsageDraft } from "@modelgate/contracts";
import type { Call } from "../call.ts";

type LoggedCall = Pick<Call, "requestId" | "span">;

/** Settles and releases holds in the background. Disposal waits for those in progress. */
export interface Settlements extends AsyncDisposable {
  /** Starts to settle a hold. Never rejects. */
  settle(settlement: Settlement, call: LoggedCall): Promise<void>;
  /** Starts to release a hold. Never rejects. */
  release(release: Release, call: LoggedCall): Promise<void>;
  /** Limits the retries during an outage of Redis to a minute, because the process ends. */
  limitRetries(): void;
}

/**
 * Maximum number of settlements that are retried for longer than a minute, and the maximum time in ms. The sweep charges
 * the others only what was certain at the last renewal.
 */
const [maxRetried, retryMs] = [10_000, 3_600_000];

/**
 * Time in ms after which a settlement that found no hold is repeated once, and the maximum number of such settlements.
 */
const [repeatAfterMs, maxRepeats] = [10_000, 10_000];

interface SettlementDeps {
  readonly redis: Redis;
  readonly outbox: Outbox;
  readonly log: Logger;
  /** Replacement for the maximum above. */
  readonly maxRetried?: number | undefined;
}

/** Opens the settlements of a process. The outbox publishes their events. */
export function openSettlements(deps: SettlementDeps): Settlements {
  return new OpenSettlements(deps);
}

class OpenSettlements implements Settlements {
  readonly #deps: SettlementDeps;
  readonly #maxRetried: number;
  readonly #repeats = new Set<NodeJS.Timeout>();
  /** Settlements that are retried for longer than a minute. */
  readonly #retried = new Set<Settlement>();
  #pending = 0;
  #isEnding = false;
  #onEmpty: (() => void) | undefined;

  constructor(deps: SettlementDeps) {
    this.#deps = deps;
    this.#maxRetried = deps.maxRetried ?? maxRetried;
  }

  async settle(settlement: Settlement, call: LoggedCall): Promise<void> {
    const { outbox, log } = this.#deps;
    const { callId } = settlement;
    this.#pending++;
    try {
      const entry = await this.#settleWithRetry(settlement);
      if (entry !== undefined) return outbox.push(entry);
      holdsNotFound.inc();
      log.warn(
        { ...idsOf(call), callId },
        "no hold to settle: swept, never held, lost with Redis, or already settled by an attempt whose reply was lost",
      );
      if (settlement.onlyIfHeld !== true) this.#repeatLater(settlement, call);
    } catch (error) {
      this.#logFailure(error, callId, call);
    } finally {
      this.#retried.delete(settlement);
      if (--this.#pending === 0) this.#onEmpty?.();
    }
  }

  /** Settles a hold. A settlement that Redis has executed has no effect when it is repeated. */
  #settleWithRetry(settlement: Settlement): ReturnType<typeof settle> {
    const endsAt = performance.now() + retryMs;
    const goesOn = (error: unknown): boolean => {
      if (this.#isEnding || performance.now() >= endsAt || failureFrom(error).code !== "server_overloaded")
        return false;
      if (this.#retried.size < this.#maxRetried) this.#retried.add(settlement);
      return this.#retried.has(settlement);
    };
    const step = (): ReturnType<typeof settle> => settle(this.#deps.redis, settlement);
    return step().catch(() => retryDuringOutage(step, goesOn));
  }

  limitRetries(): void {
    this.#isEnding = true;
  }

  async release(release: Release, call: LoggedCall): Promise<void> {
    this.#pending++;
    try {
      await releaseWithRetry(this.#deps.redis, release);
    } catch (error) {
      this.#logFailure(error, release.callId, call);
    } finally {
      if (--this.#pending === 0) this.#onEmpty?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#pending > 0) await promise;
    for (const timer of this.#repeats) clearTimeout(timer);
  }

  #logFailure(error: unknown, callId: string, call: LoggedCall): void {
    this.#deps.log.error({ ...idsOf(call), err: error, callId }, "settlement failed; the sweep will settle the hold");
  }

  /**
   * Repeats a settlement that found no hold. Each time, the script reports the call to the ledger; Redis may have lost
   * the first report.
   */
  #repeatLater(settlement: Settlement, call: LoggedCall): void {
    const { redis, log } = this.#deps;
    if (this.#repeats.size >= maxRepeats) return;
    const timer = setTimeout(() => {
      this.#repeats.delete(timer);
      settle(redis, settlement).catch((error: unknown) =>
        log.warn({ ...idsOf(call), err: error, callId: settlement.callId }, "a late settlement was not repeated"),
      );
    }, repeatAfterMs).unref();
    this.#repeats.add(timer);
  }
}

/** Usage of a running call that is certain now. */
export interface HoldProgress {
  readonly floorNanos: Nanos;
  /** Usage event to record if the process dies now. */
  readonly draft: UsageDraft;
}

/** A hold whose lease `Renewals` extends. */
export interface RenewedHold {
  readonly accountId: string;
  readonly callId: string;
  /** Undefined if the certain usage has not changed since the hold. */
  progress(): HoldProgress | undefined;
}

/**
 * Renews the leases of all holds of a process. Disposal waits until all holds have ended, because the tokens of a
 * stream may still be counted after the client has received its last byte.
 */
export interface Renewals extends AsyncDisposable {
  /** Renews a hold's lease until the returned object is disposed. */
  add(hold: RenewedHold): Disposable;
}

/**
 * Returns a hold's progress; undefined if it cannot be computed. The hold is then renewed without a new minimum cost.
 */
function progressOf(hold: RenewedHold, log: Logger): HoldProgress | undefined {
  try {
    return hold.progress();
  } catch (error) {
    log.error({ err: error, callId: hold.callId }, "the progress of a hold could not be computed");
    return undefined;
  }
}

/** Starts the renewals. Each lease is renewed three times within its duration. */
export function openRenewals({ redis, log, leaseMs }: { redis: Redis; log: Logger; leaseMs: number }): Renewals {
  const openHolds = new OpenList<RenewedHold>();
  let emptied: (() => void) | undefined;
  const leaseCount = registerLeaseCount("holds", () => openHolds.size);
  const renewals = runOnSharedTick(leaseMs / 3, () => {
    for (const hold of openHolds) {
      const { accountId, callId } = hold;
      renewHold(redis, { accountId, callId, leaseMs, ...progressOf(hold, log) }).catch((error: unknown) =>
        log.debug({ err: error, callId }, "hold not renewed"),
      );
    }
  });
  return {
    add(hold) {
      const listed = openHolds.add(hold);
      return {
        [Symbol.dispose]() {
          listed.remove();
          if (openHolds.size === 0) emptied?.();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      emptied = resolve;
      if (openHolds.size > 0) await promise;
      renewals[Symbol.dispose]();
      leaseCount[Symbol.dispose]();
    },
  };
}
