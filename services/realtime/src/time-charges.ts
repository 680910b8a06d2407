import { asFailure, costOf, Failure, unpricedUnits, type Nanos } from "@modelgate/contracts";
import type { HeldMoney, Outcome } from "@modelgate/relay";
import type { RealtimeBridge, SeenEvent } from "@modelgate/wires/realtime";
import type { Deps } from "./deps.ts";
import { holdUse, renewedCaller, StepQueue, unknownUse, type SessionPrice } from "./hold-use.ts";
import type { RealtimeCall } from "./session-call.ts";
import { LastUsage, type ChargedSession, type SessionCharges } from "./session-charges.ts";
import { SessionTime } from "./session-time.ts";

/** Maximum seconds before the end of the held time at which a session ends that cannot be paid any longer. */
const closingSeconds = 2;

/** Values that the charges of a session by time need. */
export interface TimeChargesParts {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Outcome of the session about which nothing else is known yet. */
  readonly unknown: Outcome;
  /** Reservation that `holdFirstSeconds` made. */
  readonly first: HeldMoney;
  readonly bridge: RealtimeBridge;
  readonly session: ChargedSession;
}

/**
 * Reserves money for the first seconds of a session, before its vendor is connected. Rejects with Failure, also for a
 * model without a price per second, unless the group permits unpriced use.
 */
export async function holdFirstSeconds(deps: Deps, call: RealtimeCall, price: SessionPrice): Promise<HeldMoney> {
  const { name, price: unitPrices } = price.model;
  const isPassed = deps.relay.catalog.current().group(call.caller.group)?.unpriced === "pass";
  if (!isPassed && unpricedUnits({ seconds: 1 }, unitPrices).length > 0)
    throw new Failure("model_not_found", `The model ${name} has no price per second, so it has no timed sessions.`, {
      param: "session.model",
    });
  const upperNanos = costOfSeconds(price, deps.slice.audioSeconds);
  return holdUse(deps, { call, price, unknown: unknownUse, upperNanos, tokens: 1 });
}

/**
 * Charges of a session that is billed by the second. Its one reservation covers the next seconds and is extended while
 * the session runs; if that fails, the session ends when the reserved seconds are used. The session is one settlement.
 */
export class TimeCharges implements SessionCharges {
  readonly #deps: Deps;
  readonly #parts: TimeChargesParts;
  readonly #time = new SessionTime();
  readonly #steps = new StepQueue();
  /** Start of the session by `performance.now()`, as the usage event reports it. */
  readonly #openedAt = performance.now();
  #firstByteAt: number | undefined;
  #heldSeconds: number;
  #isExtending = false;
  /** Failure of the last attempt to extend the reservation. */
  #unpaid: Failure | undefined;
  #ended = false;
  readonly #lastUsage = new LastUsage();

  constructor(deps: Deps, parts: TimeChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#heldSeconds = deps.slice.audioSeconds;
    parts.first.certain = () => this.#outcome();
  }

  get callId(): string {
    return this.#parts.first.callId;
  }

  /** True while the vendor has not answered the request to start. */
  get isAnswering(): boolean {
    return this.#parts.bridge.state.isPending;
  }

  get isPaying(): boolean {
    return false;
  }

  /** Returns true: the money is reserved by time, whatever the client sends. */
  maySend(): boolean {
    return true;
  }

  handleEvent(seen: SeenEvent): void {
    const nowMs = performance.now();
    if (seen.kind === "session-started") {
      this.#time.start(nowMs);
      this.#firstByteAt ??= nowMs;
    } else if (seen.kind === "session-usage") {
      this.#time.report(seen.seconds, { isFinal: seen.isFinal, nowMs });
      if (seen.isFinal) this.#lastUsage.complete();
    }
  }

  /** Extends the reservation in time. Ends the session if that failed and the reserved seconds are almost used. */
  tick(): void {
    if (this.#ended || this.#isExtending || !this.#time.isRunning) return;
    const leftSeconds = this.#heldSeconds - this.#time.secondsAt(performance.now());
    const { audioSeconds: sliceSeconds } = this.#deps.slice;
    if (this.#unpaid !== undefined && leftSeconds <= Math.min(closingSeconds, sliceSeconds / 4))
      return this.#parts.session.endUnpaid(this.#unpaid);
    if (leftSeconds > sliceSeconds / 2) return;
    this.#isExtending = true;
    void this.#steps.run(() => this.#extend());
  }

  end(): void {
    this.#ended = true;
  }

  vendorGone(): void {
    this.#time.stop(performance.now());
    this.#lastUsage.vendorGone();
  }

  awaitLastUsage(withinMs: number): Promise<void> {
    const last = this.#parts.bridge.stop();
    if (this.#lastUsage.isVendorGone || last.length === 0) return Promise.resolve();
    for (const message of last) this.#parts.session.sendToVendor(message);
    return this.#lastUsage.wait(withinMs);
  }

  /** Charges the session's seconds; releases the reservation of a session that the vendor has not started. */
  close(): Promise<void> {
    const { first } = this.#parts;
    this.#time.stop(performance.now());
    return this.#steps.run(() => (this.#time.hasStarted ? first.settle(this.#outcome()) : first.release()));
  }

  /** Extends the reservation by a slice, if the API key is still valid. Never rejects. */
  async #extend(): Promise<void> {
    const { call, price, first, session } = this.#parts;
    const usedSeconds = Math.ceil(this.#time.secondsAt(performance.now()));
    const extendedSeconds = Math.max(this.#heldSeconds, usedSeconds) + this.#deps.slice.audioSeconds;
    try {
      await renewedCaller(this.#deps, call, price);
      if (this.#ended) return;
      const nanos = costOfSeconds(price, extendedSeconds) - costOfSeconds(price, this.#heldSeconds);
      if (!(await first.extend(nanos))) throw new Failure("server_overloaded");
      this.#heldSeconds = extendedSeconds;
      this.#unpaid = undefined;
    } catch (error) {
      const failure = asFailure(error);
      if (failure.kind.retryable || failure.code === "insufficient_quota") this.#unpaid = failure;
      else if (!this.#ended) session.endUnpaid(failure);
    } finally {
      this.#isExtending = false;
    }
  }

  /** Returns the outcome of a session that ends now. */
  #outcome(): Outcome {
    const nowMs = performance.now();
    const time = this.#time;
    const known = { ...this.#parts.unknown, startedAt: this.#openedAt, firstByteAt: this.#firstByteAt };
    if (!time.hasStarted) return known;
    return {
      ...known,
      units: { requests: 1, seconds: time.chargedAt(nowMs) },
      estimated: !time.isFinal,
      ended: time.isFinal ? "completed" : "cancelled",
      capped: time.isCapped ? ["seconds"] : undefined,
    };
  }
}

/** Returns the cost of a session of this many seconds. */
function costOfSeconds({ model, multiplier }: SessionPrice, seconds: number): Nanos {
  return costOf({ requests: 1, seconds }, model.price, multiplier);
}
