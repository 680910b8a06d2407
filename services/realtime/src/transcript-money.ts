import { costOf, type Caller, type Nanos, type Units } from "@modelgate/contracts";
import type { HeldMoney, Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { StepQueue, holdUse, settleUnheld, type SessionPrice, type ModelUse, type UseReservation } from "./hold-use.ts";
import type { RealtimeCall } from "./session-call.ts";
import { UntranscribedSpeech } from "./untranscribed-speech.ts";

/** The model that transcribes speech, and its price. */
export interface TranscribingModel {
  readonly price: SessionPrice;
  /** Name of the model in the client's settings; undefined if the session's model transcribes. */
  readonly modelName: string | undefined;
}

/** Usage of a transcript, and the model that transcribed. */
export type TranscriptUse = ModelUse & TranscribingModel;

/** Money reserved for speech that is not yet transcribed. */
interface TranscriptSlice {
  readonly held: HeldMoney;
  readonly model: TranscribingModel;
  nanos: Nanos;
}

/** Maximum audio input tokens and maximum output tokens per second of speech. */
const [maxAudioTokens, maxWrittenTokens] = [25, 12];

/** Reservations for the transcripts of a client's speech. Each transcript is a call of the transcribing model. */
export class TranscriptMoney {
  /** Speech that may still be transcribed. */
  readonly speech = new UntranscribedSpeech();
  readonly #deps: Deps;
  /** Caller whose account pays. It is renewed before each payment. */
  caller: Caller;
  readonly #call: RealtimeCall;
  readonly #initialOutcome: Outcome;
  readonly #uncharged: TranscriptUse[] = [];
  readonly #steps = new StepQueue();
  #slice: TranscriptSlice | undefined;
  #closed = false;

  /** `initialOutcome` is the outcome of a transcript until its usage is known. */
  constructor(deps: Deps, call: RealtimeCall, initialOutcome: Outcome) {
    this.#deps = deps;
    this.#call = call;
    this.caller = call.caller;
    this.#initialOutcome = initialOutcome;
  }

  /** Returns true if transcribing the speech so far may cost more than is reserved. */
  isShort(model: TranscribingModel): boolean {
    const { seconds } = this.speech;
    if (seconds === 0) return false;
    const held = this.#slice === undefined || !isSliceFor(this.#slice, model) ? 0n : this.#slice.nanos;
    return this.#costOf(seconds, model) > held;
  }

  /** Extends the reservation if it is short. Throws Failure if the account cannot pay for it. */
  extendIfShort(model: TranscribingModel): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.isShort(model)) await this.#extend(model);
    });
  }

  /** Notes a transcript that `pay` or `close` will charge. */
  noteTranscript(use: TranscriptUse): void {
    this.#uncharged.push(use);
  }

  /** Charges the noted transcripts, and reserves money for the remaining speech. Throws Failure. */
  pay(): Promise<void> {
    return this.#steps.run(async () => {
      for (let [use] = this.#uncharged; use !== undefined; [use] = this.#uncharged) {
        const held = this.#takeSliceFor(use) ?? (await this.#hold(use, costOf(use.units, ...priceOf(use))));
        this.#uncharged.shift();
        await held.settle(this.#outcomeOf(use));
        if (!this.#closed && this.isShort(use)) await this.#extend(use);
      }
    });
  }

  /** Charges the noted transcripts and releases the reservations, because the session has ended. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      for (const use of this.#uncharged.splice(0)) {
        const outcome = this.#outcomeOf(use);
        await (this.#takeSliceFor(use)?.settle(outcome) ?? settleUnheld(this.#deps, this.#reservation(use), outcome));
      }
      await this.#release();
    });
  }

  async #extend(model: TranscribingModel): Promise<void> {
    const upperNanos = this.#costOf(this.speech.seconds + this.#deps.slice.audioSeconds, model);
    const current = this.#slice;
    if (current !== undefined && isSliceFor(current, model)) {
      if (await current.held.extend(upperNanos - current.nanos)) current.nanos = upperNanos;
      return;
    }
    const held = await this.#hold(model, upperNanos);
    await this.#release();
    this.#slice = { held, model, nanos: upperNanos };
  }

  async #release(): Promise<void> {
    const slice = this.#slice;
    this.#slice = undefined;
    await slice?.held.release();
  }

  /** Removes and returns the reservation, if it was made for the model of this usage. */
  #takeSliceFor(use: TranscribingModel): HeldMoney | undefined {
    const slice = this.#slice;
    if (slice === undefined || !isSliceFor(slice, use)) return undefined;
    this.#slice = undefined;
    return slice.held;
  }

  #hold(model: TranscribingModel, upperNanos: Nanos): Promise<HeldMoney> {
    return holdUse(this.#deps, { ...this.#reservation(model), upperNanos });
  }

  #reservation({ price, modelName }: TranscribingModel): Omit<UseReservation, "upperNanos"> {
    return {
      call: { ...this.#call, caller: this.caller },
      price,
      initialOutcome: withUpstreamModel(modelName, this.#initialOutcome),
    };
  }

  #outcomeOf({ modelName, units, estimated, callStatus, capped }: TranscriptUse): Outcome {
    return { ...withUpstreamModel(modelName, this.#initialOutcome), units, estimated, callStatus, capped };
  }

  /** Returns the maximum cost of transcribing a number of seconds, rounded up as vendors do. */
  #costOf(seconds: number, model: TranscribingModel): Nanos {
    const requests = Math.max(1, this.speech.turns);
    const rounded = Math.ceil(seconds) + requests;
    const units: Units = model.price.model.price.has("seconds")
      ? { requests, seconds: rounded }
      : { requests, inputAudioTokens: rounded * maxAudioTokens, outputTokens: rounded * maxWrittenTokens };
    return costOf(units, ...priceOf(model));
  }
}

function priceOf({ price: { model, multiplier } }: TranscribingModel) {
  return [model.price, multiplier] as const;
}

function isSliceFor({ model: held }: TranscriptSlice, model: TranscribingModel): boolean {
  const [heldPrice, other] = [held.price, model.price];
  return (
    held.modelName === model.modelName &&
    heldPrice.model.price === other.model.price &&
    heldPrice.multiplier === other.multiplier
  );
}

/** Returns the outcome with another model of the same vendor. */
function withUpstreamModel(model: string | undefined, outcome: Outcome): Outcome {
  if (model === undefined || outcome.route === undefined) return outcome;
  const { channel } = outcome.route.candidate;
  const candidate = { channel, upstreamModel: channel.models.get(model) ?? model };
  return { ...outcome, route: { ...outcome.route, candidate } };
}
