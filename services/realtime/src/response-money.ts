import { costOf, type Caller, type Nanos, type Units } from "@modelgate/contracts";
import { capUnits, type HeldMoney, type Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import {
  StepQueue,
  holdUse,
  settleUnheld,
  initialUseOutcome,
  type SessionPrice,
  type ModelUse,
  type UseReservation,
} from "./hold-use.ts";
import { SessionTraffic } from "./session-traffic.ts";
import type { RealtimeCall } from "./session-call.ts";
import { SpeechAhead } from "./speech-ahead.ts";

/** Money reserved for one response. Each slice has a separate call id. */
interface Slice {
  readonly held: HeldMoney;
  nanos: Nanos;
  /** Start of the slice's response and of its output, by `performance.now()`. */
  startedAt?: number;
  firstByteAt?: number;
}

/** Assumed tokens per second of audio input and output. */
const [inputTokensPerSecond, outputTokensPerSecond] = [10, 20];

/** Reserves money for the first response of a session, before its vendor is connected. Throws Failure. */
export function holdFirstSlice(deps: Deps, call: RealtimeCall, price: SessionPrice): Promise<HeldMoney> {
  return holdUse(deps, {
    call,
    price,
    initialOutcome: initialUseOutcome,
    upperNanos: costOfSlice(deps, price),
    tokens: 1,
  });
}

/** Values that the reservations for a session's responses need. */
export interface ResponseMoneyParts {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Outcome of a response before its usage is known: the route and the attempts of the session. */
  readonly initialOutcome: Outcome;
  /** Reservation that `holdFirstSlice` made. */
  readonly first: HeldMoney;
}

/** Reservations (slices) for a session's responses. Reservations and settlements run one after the other. */
export class ResponseMoney {
  readonly price: SessionPrice;
  /** Bytes since the last settlement. */
  readonly traffic = new SessionTraffic();
  /** Speech that the vendor may answer before it reports a turn. */
  readonly ahead = new SpeechAhead();
  readonly #deps: Deps;
  /** Caller whose account pays. It is renewed before each payment. */
  caller: Caller;
  readonly #call: RealtimeCall;
  readonly #initialOutcome: Outcome;
  /** Slices for responses that have not started, oldest first. */
  readonly #ready: Slice[] = [];
  /** Slices of running responses, by response id. */
  readonly #inUse = new Map<string, Slice>();
  readonly #steps = new StepQueue();
  #closed = false;
  #settling = 0;
  /** Cost of the last response. The next response reads the same context again. */
  #lastCost: Nanos = 0n;

  constructor(deps: Deps, { call, price, initialOutcome, first }: ResponseMoneyParts) {
    this.#deps = deps;
    this.#call = call;
    this.caller = call.caller;
    this.#initialOutcome = initialOutcome;
    this.price = price;
    this.#ready.push(this.#sliceOf(first));
  }

  /** Call id of the current slice. */
  get callId(): string {
    return this.#current?.held.callId ?? "";
  }

  /** Number of ended responses that are being settled, which releases unused money. */
  get settlingCount(): number {
    return this.#settling;
  }

  /** Number of slices for responses that have not started. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /**
   * Reserves a slice, unless more slices are ready than responses are pending. `pendingResponses` is the number of
   * responses that are requested and have not started. Throws Failure, for example without balance.
   */
  holdSlice(pendingResponses = 0): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.#ready.length <= pendingResponses) this.#ready.push(await this.#open());
    });
  }

  /** Assigns a slice to a response that the vendor started without one. Throws Failure as `holdSlice` does. */
  holdSliceFor(id: string): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && !this.#inUse.has(id)) this.#inUse.set(id, this.#ready.shift() ?? (await this.#open()));
    });
  }

  /** Starts a response with a ready slice. Returns false if no slice is ready. */
  startResponse(id: string): boolean {
    if (this.#inUse.has(id)) return true;
    this.traffic.startResponse();
    const slice = this.#ready.shift();
    if (slice === undefined) return false;
    this.#inUse.set(id, slice);
    slice.startedAt = performance.now();
    return true;
  }

  /** Notes the time of the first output of the current response. */
  noteOutput(): void {
    const slice = this.#current;
    if (slice !== undefined) slice.firstByteAt ??= performance.now();
  }

  /** True if the estimated cost has reached three quarters of the reserved amount. */
  get isShort(): boolean {
    const slice = this.#current;
    return slice !== undefined && this.#estimateCost() * 4n >= slice.nanos * 3n;
  }

  /** Extends the current slice if it is short. Throws Failure if the account cannot pay for more. */
  extendIfShort(): Promise<void> {
    return this.#steps.run(async () => {
      const slice = this.#current;
      if (slice === undefined || !this.isShort) return;
      const step = this.#upperNanos();
      const missing = this.#estimateCost() - slice.nanos;
      const nanos = missing > 0n ? missing + step : step;
      if (await slice.held.extend(nanos)) slice.nanos += nanos;
    });
  }

  /** Settles a response with its slice, in one usage event under the slice's call id. Never rejects. */
  settle(id: string, use: ModelUse): Promise<void> {
    const { bound: max } = this.traffic;
    this.#lastCost = this.#costOf(capUnits(use.units, max).units);
    this.traffic.startNextUse();
    this.#settling++;
    return this.#steps.run(async () => {
      const slice = this.#inUse.get(id) ?? this.#ready.shift();
      this.#inUse.delete(id);
      const outcome: Outcome = { ...this.#outcomeOf(slice), ...use, bound: max };
      await (slice?.held.settle(outcome) ?? settleUnheld(this.#deps, this.#reservation(), outcome));
      this.#settling--;
    });
  }

  /** Makes the slice of a free response available to the next response. */
  releaseSlice(id: string): Promise<void> {
    return this.#steps.run(() => {
      const slice = this.#inUse.get(id);
      if (this.#inUse.delete(id) && slice !== undefined) this.#ready.unshift(slice);
      return Promise.resolve();
    });
  }

  /** Releases all reservations, because no response is expected any more. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      const slices = [...this.#inUse.values(), ...this.#ready.splice(0)];
      this.#inUse.clear();
      await Promise.all(slices.map(({ held }) => held.release()));
    });
  }

  /** Slice of the response that started last; if none is running, the slice for the next response. */
  get #current(): Slice | undefined {
    return [...this.#inUse.values()].at(-1) ?? this.#ready[0];
  }

  /**
   * Estimates the cost if the current response ended now. Each further turn reads the context of the last response
   * again, and half of the new speech on average.
   */
  #estimateCost(): Nanos {
    const turns = BigInt(this.ahead.possibleTurns(Date.now()));
    return (this.#costOf(this.traffic.units) * (turns + 1n)) / 2n + this.#lastCost * turns;
  }

  #upperNanos(): Nanos {
    return costOfSlice(this.#deps, this.price) + this.#estimateCost();
  }

  async #open(): Promise<Slice> {
    const upperNanos = this.#upperNanos();
    // The rate limit counts the tokens when the usage is known. Until then one token is reserved, so that no slice is
    // opened while the limit is exceeded.
    return this.#sliceOf(await holdUse(this.#deps, { ...this.#reservation(), upperNanos, tokens: 1 }));
  }

  #reservation(): Omit<UseReservation, "upperNanos"> {
    return { call: { ...this.#call, caller: this.caller }, price: this.price, initialOutcome: this.#initialOutcome };
  }

  #sliceOf(held: HeldMoney): Slice {
    const slice: Slice = { held, nanos: held.expected.upperNanos };
    held.certainOutcome = () => this.#progressOf(slice);
    return slice;
  }

  /** Returns the outcome of a slice's call with the usage so far. */
  #progressOf(slice: Slice): Outcome {
    const units = this.traffic.hasOutput && this.#current === slice ? this.traffic.units : {};
    return { ...this.#outcomeOf(slice), units };
  }

  #outcomeOf(slice: Slice | undefined): Outcome {
    return { ...this.#initialOutcome, startedAt: slice?.startedAt, firstByteAt: slice?.firstByteAt };
  }

  #costOf(units: Units): Nanos {
    return costOf(units, this.price.model.price, this.price.multiplier);
  }
}

/** Returns the cost of one slice, by the configured seconds of audio and tokens of text. */
function costOfSlice({ slice }: Deps, { model, multiplier }: SessionPrice): Nanos {
  const units: Units = {
    requests: 1,
    inputTokens: slice.textTokens,
    outputTokens: slice.textTokens,
    inputAudioTokens: slice.audioSeconds * inputTokensPerSecond,
    outputAudioTokens: slice.audioSeconds * outputTokensPerSecond,
  };
  return costOf(units, model.price, multiplier);
}
