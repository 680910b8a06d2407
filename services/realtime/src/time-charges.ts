import { asFailure, costOf, Failure, unpricedUnits, type Nanos } from "@modelgate/contracts";
import type { HeldMoney, Outcome } from "@modelgate/relay";
import type { ClientEvent, RealtimeBridge, SeenEvent } from "@modelgate/wires/realtime";
import type { Deps } from "./deps.ts";
import { holdUse, renewCaller, StepQueue, initialUseOutcome, type SessionPrice } from "./hold-use.ts";
import type { RealtimeCall } from "./session-call.ts";
import { LastUsage, type ChargedSession, type SessionCharges } from "./session-charges.ts";
import { SessionTime } from "./session-time.ts";

/**
 * Maximum seconds between the end of a session and the end of its reserved time, if the reservation could not be
 * extended.
 */
const closingSeconds = 2;

export interface TimeChargesParts {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Outcome of the session before its duration is known. */
  readonly initialOutcome: Outcome;
  /** Reservation that `holdFirstSeconds` made. */
  readonly first: HeldMoney;
  readonly bridge: RealtimeBridge;
  readonly session: ChargedSession;
}

/** Reserves money for the first seconds of a session. Rejects with Failure, for example without a price. */
export async function holdFirstSeconds(deps: Deps, call: RealtimeCall, price: SessionPrice): Promise<HeldMoney> {
  const { name, price: unitPrices } = price.model;
  const isUnpricedAllowed = deps.relay.catalog.current().group(call.caller.group)?.unpriced === "pass";
  if (!isUnpricedAllowed && unpricedUnits({ seconds: 1 }, unitPrices).length > 0)
    throw new Failure("model_not_found", `The model ${name} has no price per second, so it has no timed sessions.`, {
      param: "session.model",
    });
  const upperNanos = costOfSeconds(price, deps.slice.audioSeconds);
  return holdUse(deps, { call, price, initialOutcome: initialUseOutcome, upperNanos, tokens: 1 });
}

/**
 * Charges of a session that is billed by the second. Vendors may bill the duration of the client's sound, so sound
 * beyond the reserved seconds waits.
 */
export class TimeCharges implements SessionCharges {
  readonly #deps: Deps;
  readonly #parts: TimeChargesParts;
  /** Time, by `performance.now()`, when the vendor started the session. */
  readonly #startedAt = performance.now();
  readonly #time = new SessionTime(this.#startedAt);
  readonly #steps = new StepQueue();
  #heldSeconds: number;
  /** Seconds of sound that the client has sent. */
  #soundSeconds = 0;
  #isExtending = false;
  /** Failure of the last attempt to extend the reservation. */
  #unpaid: Failure | undefined;
  #ended = false;
  readonly #lastUsage = new LastUsage();

  constructor(deps: Deps, parts: TimeChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#heldSeconds = deps.slice.audioSeconds;
    parts.first.certainOutcome = () => this.#outcome();
  }

  get callId(): string {
    return this.#parts.first.callId;
  }

  /** Always false: no event of the client requires output, so silence of the vendor is not a failure. */
  get isOutputOutstanding(): boolean {
    return false;
  }

  /** Always false: the session of a client that has disconnected ends immediately, and waiting sound is dropped. */
  get isPaying(): boolean {
    return false;
  }

  countEvent({ input }: ClientEvent): void {
    this.#soundSeconds += (input?.audioBytes ?? 0) / this.#parts.bridge.state.input.bytesPerSecond;
    if (!this.maySend()) this.tick();
  }

  /** Returns true if the reserved seconds cover the client's sound. */
  maySend(): boolean {
    return this.#soundSeconds <= this.#heldSeconds;
  }

  handleEvent(seen: SeenEvent): void {
    if (seen.kind !== "session-usage") return;
    const nowMs = performance.now();
    this.#time.report(seen.seconds, { isFinal: seen.isFinal, nowMs, soundSeconds: this.#soundSeconds });
    if (seen.isFinal) this.#lastUsage.complete();
  }

  /** Extends the reservation when little of it is left. Ends the session if it could not be extended. */
  tick(): void {
    if (this.#ended || this.#isExtending || !this.#time.isRunning) return;
    const seconds = this.#time.secondsAt(performance.now());
    const leftSeconds = this.#heldSeconds - seconds;
    const { audioSeconds: sliceSeconds } = this.#deps.slice;
    if (this.#unpaid !== undefined && leftSeconds <= Math.min(closingSeconds, sliceSeconds / 4))
      return this.#parts.session.endUnpaid(this.#unpaid);
    if (this.#heldSeconds - Math.max(seconds, this.#soundSeconds) > sliceSeconds / 2) return;
    this.#isExtending = true;
    void this.#steps.run(() => this.#extend());
  }

  end(): void {
    this.#ended = true;
  }

  noteVendorGone(): void {
    this.#time.stop(performance.now());
    this.#lastUsage.noteVendorGone();
  }

  awaitLastUsage(withinMs: number): Promise<void> {
    const last = this.#parts.bridge.stop();
    if (this.#lastUsage.isVendorGone || last.length === 0) return Promise.resolve();
    for (const message of last) this.#parts.session.sendToVendor(message);
    return this.#lastUsage.wait(withinMs);
  }

  /** Charges the session's seconds. */
  close(): Promise<void> {
    this.#time.stop(performance.now());
    return this.#steps.run(() => this.#parts.first.settle(this.#outcome()));
  }

  /** Extends the reservation by a slice, if the API key is still valid. Never rejects. */
  async #extend(): Promise<void> {
    const { call, price, first, session } = this.#parts;
    const usedSeconds = Math.ceil(Math.max(this.#time.secondsAt(performance.now()), this.#soundSeconds));
    const extendedSeconds = Math.max(this.#heldSeconds, usedSeconds) + this.#deps.slice.audioSeconds;
    try {
      await renewCaller(this.#deps, call, price);
      if (this.#ended) return;
      const nanos = costOfSeconds(price, extendedSeconds) - costOfSeconds(price, this.#heldSeconds);
      if (!(await first.extend(nanos, { ifEnabled: true }))) throw new Failure("server_overloaded");
      this.#heldSeconds = extendedSeconds;
      this.#unpaid = undefined;
    } catch (error) {
      const failure = asFailure(error);
      // If the balance is too low, the session continues for its reserved seconds, unless more sound than that is
      // waiting.
      const canContinue = failure.kind.retryable || (failure.code === "insufficient_quota" && this.maySend());
      if (canContinue) this.#unpaid = failure;
      else if (!this.#ended) session.endUnpaid(failure);
    } finally {
      this.#isExtending = false;
    }
    session.resumeEvents();
    // Sound that came meanwhile may need another extension.
    if (this.#unpaid === undefined && !this.maySend()) this.tick();
  }

  /** Returns the outcome of a session that ends now. */
  #outcome(): Outcome {
    const time = this.#time;
    return {
      ...this.#parts.initialOutcome,
      firstByteAt: this.#startedAt,
      units: { requests: 1, seconds: time.chargedAt(performance.now()) },
      estimated: !time.isFinal,
      callStatus: time.isFinal ? "completed" : "cancelled",
      capped: time.isCapped ? ["seconds"] : undefined,
    };
  }
}

function costOfSeconds({ model, multiplier }: SessionPrice, seconds: number): Nanos {
  return costOf({ requests: 1, seconds }, model.price, multiplier);
}
