import { costOf, type Caller, type Nanos, type Units } from "@modelgate/contracts";
import { capUnits, type HeldMoney, type Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import {
  InTurn,
  holdUse,
  settleUnheld,
  unknownUse,
  type SessionPrice,
  type ModelUse,
  type WantedUse,
} from "./hold-use.ts";
import { SessionTraffic } from "./session-traffic.ts";
import type { RealtimeCall } from "./session-call.ts";
import { SpeechAhead } from "./speech-ahead.ts";

/** Money reserved for one response, under a separate call id. */
interface Slice {
  readonly held: HeldMoney;
  nanos: Nanos;
  /** Times, by `performance.now()`, when its response and its output started. */
  startedAt?: number;
  firstByteAt?: number;
}

/** Tokens per second of audio input and output, as vendors count them. */
const [inputTokensPerSecond, outputTokensPerSecond] = [10, 20];

/** Reserves money for the first response of a session, before its vendor is connected. Throws Failure. */
export function holdFirst(deps: Deps, call: RealtimeCall, price: SessionPrice): Promise<HeldMoney> {
  return holdUse(deps, { call, price, unknown: unknownUse, upperNanos: costOfSlice(deps, price), tokens: 1 });
}

/** Dependencies of the reservations for a session's responses. */
export interface ResponseMoneyParts {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Route of the session. */
  /** Outcome of a response of the session about which nothing else is known yet. */
  readonly unknown: Outcome;
  /** Reservation that `holdFirst` made. */
  readonly first: HeldMoney;
}

/**
 * Reservations for a session's responses. Each response has a slice, which is reserved before the response is requested
 * and settled with the usage that the vendor reports. An unused slice is used for the next response. Steps run one
 * after the other.
 */
export class ResponseMoney {
  readonly price: SessionPrice;
  /** Bytes that have passed since the last settlement. */
  readonly traffic = new SessionTraffic();
  /** Speech that the vendor may answer before it reports a turn. */
  readonly ahead = new SpeechAhead();
  readonly #deps: Deps;
  /** Caller whose account pays; its permissions and prices are read again before each payment. */
  caller: Caller;
  readonly #call: RealtimeCall;
  readonly #unknown: Outcome;
  /** Slices for responses that have not started, oldest first. */
  readonly #ready: Slice[] = [];
  /** Slices of running responses, by response id. */
  readonly #inUse = new Map<string, Slice>();
  readonly #steps = new InTurn();
  #closed = false;
  #settling = 0;
  /** Cost of the last response: the next one reads the same context again. */
  #lastCost: Nanos = 0n;

  constructor(deps: Deps, { call, price, unknown, first }: ResponseMoneyParts) {
    this.#deps = deps;
    this.#call = call;
    this.caller = call.caller;
    this.#unknown = unknown;
    this.price = price;
    this.#ready.push(this.#sliceOf(first));
  }

  /** Call id of the current slice. */
  get callId(): string {
    return this.#current?.held.callId ?? "";
  }

  /** Number of ended responses that are not settled yet, and are about to release unused money. */
  get settling(): number {
    return this.#settling;
  }

  /** Number of slices for responses that have not started. */
  get ready(): number {
    return this.#ready.length;
  }

  /**
   * Reserves a slice, unless more than `reserved` are ready, which are for responses that were already requested.
   * Throws Failure for the client: no balance, no tokens left, store unavailable.
   */
  hold(reserved = 0): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.#ready.length <= reserved) this.#ready.push(await this.#open());
    });
  }

  /** Reserves a slice for a response that the vendor started without one. Throws Failure as `hold` does. */
  holdFor(id: string): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && !this.#inUse.has(id)) this.#inUse.set(id, this.#ready.shift() ?? (await this.#open()));
    });
  }

  /** Starts a response, and its latency measurement, with a ready slice. Returns false where there is none. */
  responseBegun(id: string): boolean {
    if (this.#inUse.has(id)) return true;
    this.traffic.begun();
    const slice = this.#ready.shift();
    if (slice === undefined) return false;
    this.#inUse.set(id, slice);
    slice.startedAt = performance.now();
    return true;
  }

  /** Notes the first output of the current response. */
  responseSpoke(): void {
    const slice = this.#current;
    if (slice !== undefined) slice.firstByteAt ??= performance.now();
  }

  /** True if the counted usage is close to the reserved amount. */
  get isShort(): boolean {
    const slice = this.#current;
    return slice !== undefined && this.#likely() * 4n >= slice.nanos * 3n;
  }

  /** Extends the slice where it is short. Throws Failure where the account cannot pay for more. */
  cover(): Promise<void> {
    return this.#steps.run(async () => {
      const slice = this.#current;
      if (slice === undefined || !this.isShort) return;
      const step = this.#upperNanos();
      const missing = this.#likely() - slice.nanos;
      const nanos = missing > 0n ? missing + step : step;
      if (await slice.held.extend(nanos)) slice.nanos += nanos;
    });
  }

  /** Settles a response against its slice, once, with one event under the slice's call id. Never rejects. */
  settle(id: string, use: ModelUse): Promise<void> {
    const { most } = this.traffic;
    this.#lastCost = this.#costOf(capUnits(use.units, most).units);
    this.traffic.settled();
    this.#settling++;
    return this.#steps.run(async () => {
      const slice = this.#inUse.get(id) ?? this.#ready.shift();
      this.#inUse.delete(id);
      const outcome: Outcome = { ...this.#outcomeOf(slice), ...use, most };
      await (slice?.held.settle(outcome) ?? settleUnheld(this.#deps, this.#wanted(), outcome));
      this.#settling--;
    });
  }

  /** Returns the slice of a free response for use by the next one. */
  responseFree(id: string): Promise<void> {
    return this.#steps.run(() => {
      const slice = this.#inUse.get(id);
      if (this.#inUse.delete(id) && slice !== undefined) this.#ready.unshift(slice);
      return Promise.resolve();
    });
  }

  /** Releases all reservations: no response is expected any more. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      const slices = [...this.#inUse.values(), ...this.#ready.splice(0)];
      this.#inUse.clear();
      await Promise.all(slices.map(({ held }) => held.release()));
    });
  }

  /** The slice of the response that started last, or the one for the next response. */
  get #current(): Slice | undefined {
    return [...this.#inUse.values()].at(-1) ?? this.#ready[0];
  }

  /**
   * Estimates the cost of a response that ends now. It reads the context of the last one again; so does each turn that
   * the vendor may answer without a request, plus half of the new speech on average.
   */
  #likely(): Nanos {
    const turns = BigInt(this.ahead.turns(Date.now()));
    return (this.#costOf(this.traffic.units) * (turns + 1n)) / 2n + this.#lastCost * turns;
  }

  #upperNanos(): Nanos {
    return costOfSlice(this.#deps, this.price) + this.#likely();
  }

  async #open(): Promise<Slice> {
    const upperNanos = this.#upperNanos();
    // Tokens count against the API key's rate limit when the usage is known; until then its limit must not be exceeded.
    return this.#sliceOf(await holdUse(this.#deps, { ...this.#wanted(), upperNanos, tokens: 1 }));
  }

  #wanted(): Omit<WantedUse, "upperNanos"> {
    return { call: { ...this.#call, caller: this.caller }, price: this.price, unknown: this.#unknown };
  }

  #sliceOf(held: HeldMoney): Slice {
    const slice: Slice = { held, nanos: held.expected.upperNanos };
    held.certain = () => this.#progressOf(slice);
    return slice;
  }

  /** Returns the certain usage of a slice's running response. */
  #progressOf(slice: Slice): Outcome {
    const units = this.traffic.spoken && this.#current === slice ? this.traffic.units : {};
    return { ...this.#outcomeOf(slice), units };
  }

  #outcomeOf(slice: Slice | undefined): Outcome {
    return { ...this.#unknown, startedAt: slice?.startedAt, firstByteAt: slice?.firstByteAt };
  }

  #costOf(units: Units): Nanos {
    return costOf(units, this.price.model.price, this.price.multiplier);
  }
}

/** Returns the cost of a response of the usual length. */
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
