import {
  measureEvent,
  estimateUnits,
  pcmBytesPerSecond,
  type ClientEvent,
  type RealtimeBridge,
  type RealtimeMessage,
  type SeenEvent,
} from "@modelgate/wires/realtime";
import { capUnits } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { renewCaller } from "./hold-use.ts";
import { Payments } from "./payments.ts";
import { RecentIds } from "./recent-ids.ts";
import type { ResponseMoney } from "./response-money.ts";
import { transcriptPrice } from "./transcribers.ts";
import type { TranscriptMoney, TranscribingModel } from "./transcript-money.ts";
import { PendingTranscripts } from "./pending-transcripts.ts";
import type { RealtimeCall } from "./session-call.ts";
import { LastUsage, type ChargedSession, type SessionCharges } from "./session-charges.ts";

/** Dependencies of the charges, and the session that they report to. */
export interface ChargesParts {
  readonly call: RealtimeCall;
  readonly responses: ResponseMoney;
  readonly transcripts: TranscriptMoney;
  readonly bridge: RealtimeBridge;
  readonly session: ChargedSession;
}

type EventOfKind<Kind extends SeenEvent["kind"]> = Extract<SeenEvent, { readonly kind: Kind }>;

/** Charges of a session. Money is reserved before every event that makes the vendor work. */
export class Charges implements SessionCharges {
  readonly #deps: Deps;
  readonly #parts: ChargesParts;
  /** Ids of the responses that the vendor has started and not ended. */
  readonly #responses = new Set<string>();
  readonly #pendingTranscripts = new PendingTranscripts();
  readonly #billedIds = new RecentIds();
  readonly #payments: Payments;
  /** True if the API key was checked for the next response request. The slice of that response may be much older. */
  #isKeyChecked = false;
  readonly #lastUsage = new LastUsage();
  /** True once the session has ended: no more money is reserved. */
  #ended = false;

  constructor(deps: Deps, parts: ChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
    const { bridge, session, responses } = parts;
    this.#payments = new Payments({
      checkKey: () => this.#renewCaller(),
      openResponses: () => this.#responses.size + bridge.state.pendingResponses + responses.settlingCount,
      resumeEvents: () => session.resumeEvents(),
      reportPaymentDelay: (failure) => session.reportPaymentDelay(failure),
      endUnpaid: (error) => session.endUnpaid(error),
    });
  }

  async #renewCaller(): Promise<void> {
    const { call, responses, transcripts } = this.#parts;
    const caller = await renewCaller(this.#deps, call, responses.price);
    responses.caller = caller;
    transcripts.caller = caller;
  }

  get callId(): string {
    return this.#parts.responses.callId;
  }

  /** True while output of the vendor is outstanding: the rest of a response, or a requested response. */
  get isOutputOutstanding(): boolean {
    return this.#responses.size > 0 || this.#parts.bridge.state.isPending;
  }

  get isPaying(): boolean {
    return this.#payments.isPaying;
  }

  /** Counts the text and audio of a client event before it is sent to the vendor. */
  countEvent({ message, type, input }: ClientEvent): void {
    const { responses, bridge, transcripts } = this.#parts;
    const { audioBytes, textBytes } = input ?? measureEvent(type, message.data);
    const { bytesPerSecond, detectsTurns } = bridge.state.input;
    const seconds = audioBytes / bytesPerSecond;
    responses.traffic.addInput(seconds * pcmBytesPerSecond, textBytes);
    const nowMs = Date.now();
    if (seconds > 0 && type === "input_audio_buffer.append") {
      transcripts.speech.addAudio(seconds, { detectsTurns, nowMs });
      if (detectsTurns) responses.ahead.addSpeech(seconds, nowMs);
    } else if (seconds > 0) transcripts.speech.addItemAudio(seconds);
    if (type === "input_audio_buffer.commit") transcripts.speech.commitRequested();
    // The next response reads all text and audio. If the vendor detects turns, the audio may be silence, so money is
    // reserved for it only if the vendor may answer several turns.
    const mustPay = textBytes > 0 || (seconds > 0 && (!detectsTurns || responses.ahead.possibleTurns(nowMs) > 1));
    if (mustPay && responses.isShort) this.#payments.payBeforeEvents(() => responses.extendIfShort());
    this.#coverSpeech();
  }

  /** Returns true if a client event may be sent to the vendor. A response request needs a slice and a valid API key. */
  maySend({ type }: ClientEvent): boolean {
    if (this.#payments.blocksEvents) return false;
    const { responses, bridge } = this.#parts;
    if (type === "response.create" && bridge.state.isResponding === true) return false;
    if (type !== "response.create") return true;
    if (responses.readyCount <= bridge.state.pendingResponses)
      this.#payments.payForParallelResponse(() => responses.holdSlice(bridge.state.pendingResponses));
    else if (!this.#isKeyChecked)
      this.#payments.payBeforeEvents(() => {
        this.#isKeyChecked = true;
        return Promise.resolve();
      });
    else {
      this.#isKeyChecked = false;
      return true;
    }
    return false;
  }

  handleSent({ type }: ClientEvent): void {
    // With the new settings, speech that was sent earlier may be transcribed and cost money.
    if (type === "session.update") this.#coverSpeech();
  }

  /** Reserves money for speech that will be transcribed, if the reservation is too small. */
  #coverSpeech(): void {
    const { bridge, transcripts } = this.#parts;
    const { nextTranscriber } = bridge.state;
    if (nextTranscriber === undefined) return;
    const transcriber = this.#transcribingModel(nextTranscriber.model);
    if (transcripts.isShort(transcriber)) this.#payments.payBeforeEvents(() => transcripts.extendIfShort(transcriber));
  }

  handleEvent(seen: SeenEvent): void {
    this.#charge(seen);
    this.#completeLastUsage();
  }

  #charge(seen: SeenEvent): void {
    const { responses, transcripts, session } = this.#parts;
    if (seen.kind === "delta") {
      responses.noteOutput();
      if (responses.traffic.addOutput(seen.audioBytes, seen.textBytes))
        responses.extendIfShort().catch((error: unknown) => session.endUnpaid(error));
    } else if (seen.kind === "response-begun") this.#startResponse(seen.id);
    else if (seen.kind === "response-done") {
      this.#responses.delete(seen.id);
      transcripts.speech.responseEnded();
      this.#chargeResponse(seen);
    } else this.#handleSpeech(seen);
  }

  #handleSpeech(seen: Exclude<SeenEvent, EventOfKind<"delta" | "response-begun" | "response-done">>): void {
    const { bridge, transcripts } = this.#parts;
    const { speech } = transcripts;
    switch (seen.kind) {
      case "speech-began":
        return speech.speechStarted();
      case "cleared":
        return speech.bufferCleared();
      case "committed":
        if (bridge.state.nextTranscriber === undefined) speech.bufferCleared();
        else speech.turnCommitted(seen.item);
        return this.#pendingTranscripts.add(seen.item, bridge.state.transcriber);
      case "commit-refused":
        return speech.commitRefused();
      case "transcribed":
        speech.transcriptEnded(seen.item, seen.units?.seconds);
        return this.#chargeTranscript(
          seen,
          (this.#pendingTranscripts.remove(seen.item) ?? bridge.state.transcriber)?.model,
        );
      case "not-transcribed":
        speech.transcriptEnded(seen.item);
        this.#pendingTranscripts.remove(seen.item);
        return;
      case "error":
      case "session-usage":
      case "other":
    }
  }

  end(): void {
    this.#ended = true;
    this.#payments.end();
  }

  noteVendorGone(): void {
    this.#lastUsage.noteVendorGone();
  }

  /**
   * Cancels running responses after the client has disconnected. Resolves when their usage is reported, or after
   * `withinMs`.
   */
  awaitLastUsage(withinMs: number): Promise<void> {
    if (this.#lastUsage.isVendorGone) return Promise.resolve();
    const { responses, bridge } = this.#parts;
    // If only a transcript is missing, the money for responses is released at once: the client may need it for another
    // session.
    if (!this.isOutputOutstanding) void responses.close();
    for (const id of this.#responses) this.#send(bridge.cancel(id));
    this.#send(bridge.stop());
    if (!this.#isUsageOutstanding()) return Promise.resolve();
    return this.#lastUsage.wait(withinMs);
  }

  /** Charges output without reported usage by its bytes, and releases the reservations. */
  async close(): Promise<void> {
    const { responses, transcripts } = this.#parts;
    const { hasOutput, units } = responses.traffic;
    const last = [...this.#responses].at(-1) ?? "";
    if (hasOutput)
      await responses.settle(last, { units: { requests: 1, ...units }, estimated: true, callStatus: "cancelled" });
    await Promise.all([responses.close(), transcripts.close()]);
  }

  /** Assigns a slice to a response that the vendor started, and reserves one if none is ready. */
  #startResponse(id: string): void {
    const { responses, bridge } = this.#parts;
    this.#responses.add(id);
    if (!responses.startResponse(id))
      this.#payments.payBeforeEvents(async () => {
        // A response may end before its payment begins. A slice for it would stay held until the session ends.
        if (this.#responses.has(id)) await responses.holdSliceFor(id);
      });
    if (this.#ended) this.#send(bridge.cancel(id));
  }

  #chargeResponse({ id, units, callStatus }: EventOfKind<"response-done">): void {
    const { responses, bridge } = this.#parts;
    if (id !== "" && !this.#billedIds.add(id)) return;
    this.#payments.responseSettled();
    // A response without output and without reported usage is free.
    if (units === undefined && !responses.traffic.hasOutput)
      void responses.releaseSlice(id).then(() => this.#parts.session.resumeEvents());
    else {
      const estimated = { requests: 1, ...responses.traffic.units };
      void responses.settle(id, { units: units ?? estimated, estimated: units === undefined, callStatus });
      this.#payments.payBeforeEvents(() => responses.holdSlice(bridge.state.pendingResponses), { mayWait: true });
    }
  }

  /** Charges a transcript at the price of the model that transcribed the speech. */
  #chargeTranscript({ id, units, textBytes }: EventOfKind<"transcribed">, model: string | undefined): void {
    const { transcripts } = this.#parts;
    // A vendor that names no model and reports no usage includes the cost of transcripts in its responses.
    if ((units === undefined && model === undefined) || !this.#billedIds.add(id)) return;
    const textUnits = { requests: 1, ...estimateUnits({ audioIn: 0, textIn: 0, audioOut: 0, textOut: textBytes }) };
    const used = capUnits(units ?? textUnits, this.#parts.responses.traffic.bound);
    transcripts.noteTranscript({
      units: used.units,
      capped: used.capped.length > 0 ? used.capped : undefined,
      estimated: units === undefined,
      callStatus: "completed",
      ...this.#transcribingModel(model),
    });
    this.#payments.payBeforeEvents(() => transcripts.pay());
  }

  /** Returns the model that transcribes, with its price. An unknown model has the price of the session's model. */
  #transcribingModel(model: string | undefined): TranscribingModel {
    const { responses, call } = this.#parts;
    const price = model === undefined ? undefined : transcriptPrice(this.#deps, call, model);
    return { price: price ?? responses.price, modelName: model };
  }

  /** Returns true while output or the usage of a transcript is outstanding. */
  #isUsageOutstanding(): boolean {
    return this.isOutputOutstanding || this.#pendingTranscripts.isPending;
  }

  #send(messages: readonly RealtimeMessage[]): void {
    for (const message of messages) this.#parts.session.sendToVendor(message);
  }

  #completeLastUsage(): void {
    if (this.#lastUsage.isAwaited && !this.#isUsageOutstanding()) this.#lastUsage.complete();
  }
}
