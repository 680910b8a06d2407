import { costOf, type Caller, type Nanos, type Units } from "@modelgate/contracts";
import type { HeldMoney, Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { InTurn, holdUse, settleUnheld, type SessionPrice, type ModelUse, type WantedUse } from "./hold-use.ts";
import type { RealtimeCall } from "./session-call.ts";
import { Untranscribed } from "./untranscribed.ts";

/** The model that transcribes speech, and its price. */
export interface WritingModel {
  readonly price: SessionPrice;
  /** Name of the model in the client's settings; undefined where the session's model transcribes. */
  readonly by: string | undefined;
}

/** A transcript, with the model that wrote it. */
export type TranscriptUse = ModelUse & WritingModel;

/** Money reserved for speech that is not transcribed yet. */
interface TranscriptSlice {
  readonly held: HeldMoney;
  readonly for: WritingModel;
  nanos: Nanos;
}

/** Maximum tokens of input and of output per second of speech. */
const [maxAudioTokens, maxWrittenTokens] = [25, 12];

/**
 * Reservations for the transcripts of a client's speech. Each transcript is a separate call of the model that writes
 * it. Money is reserved before speech is sent, and each transcript is settled with the usage that the vendor reports.
 * Steps run one after the other.
 */
export class TranscriptMoney {
  /** Speech that may still be transcribed. */
  readonly speech = new Untranscribed();
  readonly #deps: Deps;
  /** The account that pays; renewed before each payment. */
  caller: Caller;
  readonly #call: RealtimeCall;
  readonly #unknown: Outcome;
  readonly #owed: TranscriptUse[] = [];
  readonly #steps = new InTurn();
  #slice: TranscriptSlice | undefined;
  #closed = false;

  /** `unknown` is the outcome of a transcript of the session about which nothing else is known yet. */
  constructor(deps: Deps, call: RealtimeCall, unknown: Outcome) {
    this.#deps = deps;
    this.#call = call;
    this.caller = call.caller;
    this.#unknown = unknown;
  }

  /** Returns true if the speech costs more than is reserved for it. */
  isShort(model: WritingModel): boolean {
    const { seconds } = this.speech;
    if (seconds === 0) return false;
    const held = this.#slice === undefined || !isFor(this.#slice, model) ? 0n : this.#slice.nanos;
    return this.#costOf(seconds, model) > held;
  }

  /**
   * Extends the reservation where it is short, with some reserve for speech to come. Throws Failure where the account
   * cannot pay for it.
   */
  cover(model: WritingModel): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.isShort(model)) await this.#cover(model);
    });
  }

  /** Notes a transcript until it is charged, at the end of the session at the latest. */
  owe(use: TranscriptUse): void {
    this.#owed.push(use);
  }

  /**
   * Charges the noted transcripts, and reserves money for the remaining speech. Throws Failure where the account cannot
   * pay, or the store is unavailable.
   */
  pay(): Promise<void> {
    return this.#steps.run(async () => {
      for (let [use] = this.#owed; use !== undefined; [use] = this.#owed) {
        const held = this.#take(use) ?? (await this.#hold(use, costOf(use.units, ...priceOf(use))));
        this.#owed.shift();
        await held.settle(this.#outcomeOf(use));
        if (!this.#closed && this.isShort(use)) await this.#cover(use);
      }
    });
  }

  /**
   * Releases the reservations and charges the noted transcripts: the session has ended or never started. Never rejects.
   */
  close(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      for (const use of this.#owed.splice(0)) {
        const end = this.#outcomeOf(use);
        await (this.#take(use)?.settle(end) ?? settleUnheld(this.#deps, this.#wanted(use), end));
      }
      await this.#release();
    });
  }

  async #cover(model: WritingModel): Promise<void> {
    const upperNanos = this.#costOf(this.speech.seconds + this.#deps.slice.audioSeconds, model);
    const current = this.#slice;
    if (current !== undefined && isFor(current, model)) {
      if (await current.held.extend(upperNanos - current.nanos)) current.nanos = upperNanos;
      return;
    }
    const held = await this.#hold(model, upperNanos);
    await this.#release();
    this.#slice = { held, for: model, nanos: upperNanos };
  }

  async #release(): Promise<void> {
    const slice = this.#slice;
    this.#slice = undefined;
    await slice?.held.release();
  }

  /** Takes the reservation for the model of this use. */
  #take(use: WritingModel): HeldMoney | undefined {
    const slice = this.#slice;
    if (slice === undefined || !isFor(slice, use)) return undefined;
    this.#slice = undefined;
    return slice.held;
  }

  #hold(model: WritingModel, upperNanos: Nanos): Promise<HeldMoney> {
    return holdUse(this.#deps, { ...this.#wanted(model), upperNanos });
  }

  #wanted({ price, by }: WritingModel): Omit<WantedUse, "upperNanos"> {
    return { call: { ...this.#call, caller: this.caller }, price, unknown: outcomeAt(by, this.#unknown) };
  }

  #outcomeOf({ by, units, estimated, ended, capped }: TranscriptUse): Outcome {
    return { ...outcomeAt(by, this.#unknown), units, estimated, ended, capped };
  }

  /** Returns the maximum cost of a number of seconds of speech, rounded up as vendors do: by second or by token. */
  #costOf(seconds: number, model: WritingModel): Nanos {
    const requests = Math.max(1, this.speech.turns);
    const rounded = Math.ceil(seconds) + requests;
    const units: Units = model.price.model.price.has("seconds")
      ? { requests, seconds: rounded }
      : { requests, inputAudioTokens: rounded * maxAudioTokens, outputTokens: rounded * maxWrittenTokens };
    return costOf(units, ...priceOf(model));
  }
}

function priceOf({ price: { model, multiplier } }: WritingModel) {
  return [model.price, multiplier] as const;
}

function isFor({ for: held }: TranscriptSlice, model: WritingModel): boolean {
  const [own, other] = [held.price, model.price];
  return held.by === model.by && own.model.price === other.model.price && own.multiplier === other.multiplier;
}

/** Returns the same outcome at another model of its vendor. */
function outcomeAt(model: string | undefined, outcome: Outcome): Outcome {
  if (model === undefined || outcome.route === undefined) return outcome;
  const { channel } = outcome.route.candidate;
  const candidate = { channel, upstreamModel: channel.models.get(model) ?? model };
  return { ...outcome, route: { ...outcome.route, candidate } };
}
