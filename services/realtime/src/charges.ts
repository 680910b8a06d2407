import type { Failure, CallStatus } from "@modelgate/contracts";
import {
  inputOf,
  roughUnits,
  type ClientEvent,
  type RealtimeBridge,
  type RealtimeMessage,
  type SeenEvent,
} from "@modelgate/wires/realtime";
import { capUnits, currentCaller } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { Payments } from "./payments.ts";
import { RecentIds } from "./recent-ids.ts";
import type { ResponseMoney } from "./response-money.ts";
import { priceOfTranscripts } from "./transcribers.ts";
import type { TranscriptMoney, WritingModel } from "./transcript-money.ts";
import { Transcripts } from "./transcripts.ts";
import type { RealtimeCall } from "./session-call.ts";

/** Dependencies of the charges, and the session that they report to. */
export interface ChargesParts {
  readonly call: RealtimeCall;
  readonly responses: ResponseMoney;
  readonly transcripts: TranscriptMoney;
  readonly bridge: RealtimeBridge;
  readonly session: ChargedSession;
}

/** Session operations that charges call. */
export interface ChargedSession {
  /** Sends the vendor a message of the gateway. */
  sendToVendor(message: RealtimeMessage): void;
  /** Lets client events continue that waited for money. */
  paid(): void;
  /** Reports that a payment has to wait. */
  waits(failure: Failure): void;
  /** Ends the session, because its payment failed. */
  unpaid(error: unknown): void;
}

type Seen<Kind extends SeenEvent["kind"]> = Extract<SeenEvent, { readonly kind: Kind }>;

/** Bytes per second of PCM audio, for converting seconds of input to bytes. */
const pcmBytesPerSecond = 48_000;

/**
 * Charges of a session. Every event that makes the vendor work waits until money is reserved for it: a slice for each
 * response, and money for speech that will be transcribed. Each response that the vendor reports is settled once. A
 * transcript of the client's speech is charged as usage of the model that wrote it.
 */
export class Charges {
  readonly #deps: Deps;
  readonly #parts: ChargesParts;
  /** Responses that the vendor has started and not ended. */
  readonly #responses = new Set<string>();
  readonly #turns = new Transcripts();
  readonly #billed = new RecentIds();
  readonly #payments: Payments;
  /** True if the API key was checked for the waiting response request, whose money may have been reserved earlier. */
  #isKeyChecked = false;
  /** True once the vendor is disconnected: missing usage will never be reported. */
  #forgotten = false;
  /** True once the session has ended: no more money is reserved. */
  #ended = false;
  /** Called when no vendor usage is outstanding. */
  #settledDown: (() => void) | undefined;

  constructor(deps: Deps, parts: ChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
    const { bridge, session, responses } = parts;
    this.#payments = new Payments({
      check: () => this.#renewCaller(),
      underWay: () => this.#responses.size + bridge.state.pendingResponses + responses.settling,
      paid: () => session.paid(),
      waits: (failure) => session.waits(failure),
      unpaid: (error) => session.unpaid(error),
    });
  }

  /**
   * Applies the current permissions and prices of the session's API key and group. Throws Failure where they no longer
   * allow it.
   */
  async #renewCaller(): Promise<void> {
    const { relay } = this.#deps;
    const { call, responses, transcripts } = this.#parts;
    const caller = await currentCaller(relay, call.caller);
    relay.catalog.current().resolve(caller, responses.price.model.name, call.endpoint.kinds ?? []);
    responses.caller = caller;
    transcripts.caller = caller;
  }

  /** True while the vendor owes output: the rest of a response, or the start of a requested one. */
  get answering(): boolean {
    return this.#responses.size > 0 || this.#parts.bridge.state.isPending;
  }

  /** True while a client event waits for a reservation. */
  get isPaying(): boolean {
    return this.#payments.any;
  }

  /** Counts the text and audio of a client event before it is sent to the vendor. */
  counted({ message, type, input }: ClientEvent): void {
    const { responses, bridge, transcripts } = this.#parts;
    const { audioBytes, textBytes } = input ?? inputOf(type, message.data);
    const { bytesPerSecond, detectsTurns } = bridge.state.input;
    const seconds = audioBytes / bytesPerSecond;
    responses.traffic.heard(seconds * pcmBytesPerSecond, textBytes);
    const nowMs = Date.now();
    if (seconds > 0 && type === "input_audio_buffer.append") {
      transcripts.speech.heard(seconds, { detectsTurns, nowMs });
      if (detectsTurns) responses.ahead.heard(seconds, nowMs);
    } else if (seconds > 0) transcripts.speech.added(seconds);
    if (type === "input_audio_buffer.commit") transcripts.speech.ending();
    // The next response reads all text. For audio, a vendor that detects turns decides which part is speech.
    const isRead = textBytes > 0 || (seconds > 0 && (!detectsTurns || responses.ahead.turns(nowMs) > 1));
    if (isRead && responses.isShort) this.#payments.payOn(() => responses.cover());
    this.coverSpeech();
  }

  /** Returns true if a client event may be sent to the vendor. A response request needs a slice and a valid API key. */
  mayGo({ type }: ClientEvent): boolean {
    if (this.#payments.holdUp) return false;
    const { responses, bridge } = this.#parts;
    if (type === "response.create" && bridge.state.isResponding === true) return false;
    if (type !== "response.create") return true;
    if (responses.ready <= bridge.state.pendingResponses)
      this.#payments.payForAnother(() => responses.hold(bridge.state.pendingResponses));
    else if (!this.#isKeyChecked)
      this.#payments.payOn(() => {
        this.#isKeyChecked = true;
        return Promise.resolve();
      });
    else {
      this.#isKeyChecked = false;
      return true;
    }
    return false;
  }

  /** Reserves money for speech that will be transcribed, if the reservation is too small. */
  coverSpeech(): void {
    const { bridge, transcripts } = this.#parts;
    const { nextTranscriber } = bridge.state;
    if (nextTranscriber === undefined) return;
    const by = this.#writtenBy(nextTranscriber.model);
    if (transcripts.isShort(by)) this.#payments.payOn(() => transcripts.cover(by));
  }

  /** Handles a message to the client, including one after the client has left. */
  see(seen: SeenEvent): void {
    this.#charge(seen);
    this.#reportSettled();
  }

  #charge(seen: SeenEvent): void {
    const { responses, transcripts, session } = this.#parts;
    if (seen.kind === "delta") {
      responses.responseSpoke();
      if (responses.traffic.spoke(seen.audioBytes, seen.textBytes))
        responses.cover().catch((error: unknown) => session.unpaid(error));
    } else if (seen.kind === "response-begun") this.#begin(seen.id);
    else if (seen.kind === "response-done") {
      this.#responses.delete(seen.id);
      transcripts.speech.answered();
      this.#chargeResponse(seen);
    } else this.#hear(seen);
  }

  /** Handles the vendor's events about the client's speech. */
  #hear(seen: Exclude<SeenEvent, Seen<"delta" | "response-begun" | "response-done">>): void {
    const { bridge, transcripts } = this.#parts;
    const { speech } = transcripts;
    switch (seen.kind) {
      case "speech-began":
        return speech.began();
      case "cleared":
        return speech.cleared();
      case "committed":
        if (bridge.state.nextTranscriber === undefined) speech.cleared();
        else speech.committed(seen.item);
        return this.#turns.begun(seen.item, bridge.state.transcriber);
      case "transcribed":
        speech.ended(seen.item, seen.units?.seconds);
        return this.#chargeTranscript(seen, (this.#turns.ended(seen.item) ?? bridge.state.transcriber)?.model);
      case "not-transcribed":
        speech.ended(seen.item);
        this.#turns.ended(seen.item);
        return;
      case "error":
      case "other":
    }
  }

  /** Reserves no more money: the session has ended, and outstanding amounts are charged when it closes. */
  end(): void {
    this.#ended = true;
    this.#payments.end();
  }

  /** Expects no more usage from the vendor. */
  forget(): void {
    this.#forgotten = true;
    this.#settledDown?.();
  }

  /**
   * Handles a client's departure: cancels the response and reads until its usage is reported, because the client pays
   * for it. Resolves then, or after `withinMs`.
   */
  windUp(withinMs: number): Promise<void> {
    if (this.#forgotten) return Promise.resolve();
    const { responses, bridge } = this.#parts;
    // A transcript may take long; the client may need the money in another session meanwhile.
    if (!this.answering) void responses.close();
    for (const id of this.#responses) this.#send(bridge.cancel(id));
    this.#send(bridge.stop());
    if (!this.#isOwing()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#settledDown = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Closes the session's charges: charges unreported usage as counted, and releases the reservations. */
  async close(): Promise<void> {
    const { responses, transcripts } = this.#parts;
    const { spoken, units } = responses.traffic;
    const last = [...this.#responses].at(-1) ?? "";
    if (spoken) await responses.settle(last, { units: { requests: 1, ...units }, estimated: true, ended: "cancelled" });
    await Promise.all([responses.close(), transcripts.close()]);
  }

  /** Reserves money for a response that the vendor started without a slice. */
  #begin(id: string): void {
    const { responses, bridge } = this.#parts;
    this.#responses.add(id);
    if (!responses.responseBegun(id)) this.#payments.payOn(() => responses.holdFor(id));
    if (this.#ended) this.#send(bridge.cancel(id));
  }

  #chargeResponse({ id, units, ended }: Seen<"response-done">): void {
    const { responses, bridge } = this.#parts;
    if (id !== "" && !this.#billed.add(id)) return;
    this.#payments.settled();
    // A response that failed before any output, without reported usage, is free.
    if (units === undefined && !responses.traffic.spoken)
      void responses.responseFree(id).then(() => this.#parts.session.paid());
    else {
      const counted = { requests: 1, ...responses.traffic.units };
      void responses.settle(id, { units: units ?? counted, estimated: units === undefined, ended });
      this.#payments.payOn(() => responses.hold(bridge.state.pendingResponses), { mayWait: true });
    }
  }

  /** Charges a transcript to the model that wrote it, or to the session's model where the catalogue lacks it. */
  #chargeTranscript({ id, units, textBytes }: Seen<"transcribed">, model: string | undefined): void {
    const { transcripts } = this.#parts;
    // A vendor that names no model and reports no usage includes transcripts in its responses.
    if ((units === undefined && model === undefined) || !this.#billed.add(id)) return;
    const written = { requests: 1, ...roughUnits({ audioIn: 0, textIn: 0, audioOut: 0, textOut: textBytes }) };
    const ended: CallStatus = "completed";
    const used = capUnits(units ?? written, this.#parts.responses.traffic.most);
    transcripts.owe({
      units: used.units,
      capped: used.capped.length > 0 ? used.capped : undefined,
      estimated: units === undefined,
      ended,
      ...this.#writtenBy(model),
    });
    this.#payments.payOn(() => transcripts.pay());
  }

  /** Returns the model that writes a transcript, with its price; the session's model where the catalogue lacks it. */
  #writtenBy(model: string | undefined): WritingModel {
    const { responses, call } = this.#parts;
    const price = model === undefined ? undefined : priceOfTranscripts(this.#deps, call, model);
    return { price: price ?? responses.price, by: model };
  }

  /** Returns true while usage of the vendor is outstanding. */
  #isOwing(): boolean {
    return this.answering || this.#turns.pending;
  }

  #send(messages: readonly RealtimeMessage[]): void {
    for (const message of messages) this.#parts.session.sendToVendor(message);
  }

  #reportSettled(): void {
    if (this.#settledDown !== undefined && !this.#isOwing()) this.#settledDown();
  }
}
