import type { Failure, Outcome } from "@modelgate/contracts";
import {
  inputOf,
  lookAtEvent,
  roughUnits,
  type RealtimeBridge,
  type RealtimeMessage,
  type SeenEvent,
} from "@modelgate/wires/realtime";
import { capUnits } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { ClientEvent } from "./event-queue.ts";
import type { HeldFor } from "./holds.ts";
import { Payments } from "./payments.ts";
import { RecentIds } from "./recent-ids.ts";
import type { SessionBill } from "./session-bill.ts";
import { priceOfTranscripts } from "./transcribers.ts";
import type { TranscriptBill } from "./transcript-bill.ts";
import { Transcripts } from "./transcripts.ts";
import type { SessionCall } from "./session-call.ts";

/** Who is charged, for what. */
export interface ChargesParts {
  readonly call: SessionCall;
  readonly bill: SessionBill;
  readonly transcriptBill: TranscriptBill;
  readonly bridge: RealtimeBridge;
  /** Whether the session has ended: nothing is held for it any more. */
  readonly ended: () => boolean;
  /** Sends the vendor a message of the gateway's own. */
  readonly tellVendor: (message: RealtimeMessage) => void;
  /** Events of the client's that waited for money may go by now. */
  readonly paid: () => void;
  /** The money does not come at once: the client is told why it waits. */
  readonly waits: (failure: Failure) => void;
  /** The money does not come. */
  readonly unpaid: (error: unknown) => void;
}

type Seen<Kind extends SeenEvent["kind"]> = Extract<SeenEvent, { readonly kind: Kind }>;

/** Samples that inputs are counted in: the rough count of tokens is that of PCM. */
const pcmBytesPerSecond = 48_000;

/**
 * What is charged of a session. Whatever makes the vendor work waits until money is held for it: a slice for each
 * response, and money for speech that will be written down. Each response that the vendor reports is settled once; a
 * transcript of what the client said is a use of the model that wrote it.
 */
export class Charges {
  readonly #deps: Deps;
  readonly #parts: ChargesParts;
  /** Responses that the vendor has begun and not ended. */
  readonly #responses = new Set<string>();
  readonly #transcripts = new Transcripts();
  readonly #billed = new RecentIds();
  readonly #payments: Payments;
  /** The vendor is lost: what it owes will never be told. */
  #forgotten = false;
  /** Called when the vendor owes no usage any more. */
  #settledDown: (() => void) | undefined;

  constructor(deps: Deps, parts: ChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
    const { ended, paid, waits, unpaid, bridge, call } = parts;
    const underWay = (): number => this.#responses.size + bridge.responsesAsked;
    this.#payments = new Payments(deps, { tokenId: call.caller.tokenId, ended, underWay, paid, waits, unpaid });
  }

  /** Whether the vendor owes an answer: the rest of a response, or its first word to what it was asked. */
  get answering(): boolean {
    return this.#responses.size > 0 || this.#parts.bridge.asked;
  }

  /** Whether money is being held that an event of the client's waits for. */
  get isPaying(): boolean {
    return this.#payments.any;
  }

  /** Counts what an event of the client's gives the vendor to read and to hear, before it goes there. */
  counted({ message, type }: ClientEvent): void {
    const { bill, bridge, transcriptBill } = this.#parts;
    const { audioBytes, textBytes } = inputOf(type, message.data);
    const { bytesPerSecond, detectsTurns } = bridge.input;
    const seconds = audioBytes / bytesPerSecond;
    bill.passed.heard(seconds * pcmBytesPerSecond, textBytes);
    const nowMs = Date.now();
    if (seconds > 0 && type === "input_audio_buffer.append") {
      transcriptBill.speech.heard(seconds, { detectsTurns, nowMs });
      if (detectsTurns) bill.ahead.heard(seconds, nowMs);
    } else if (seconds > 0) transcriptBill.speech.added(seconds);
    if (type === "input_audio_buffer.commit") transcriptBill.speech.ending();
    // Words are read whole by the next response; what of the sound is speech, a vendor that detects turns finds out.
    const isRead = textBytes > 0 || (seconds > 0 && (!detectsTurns || bill.ahead.turns(nowMs) > 1));
    if (isRead && bill.isShort) this.#payments.payOn(() => bill.cover());
    this.coverSpeech();
  }

  /** Whether an event of the client's may go to the vendor: for a response, a slice must be ready. */
  mayGo({ type }: ClientEvent): boolean {
    if (this.#payments.holdUp) return false;
    const { bill, bridge } = this.#parts;
    if (type !== "response.create" || bill.ready > bridge.responsesAsked) return true;
    this.#payments.payForAnother(() => bill.hold(bridge.responsesAsked));
    return false;
  }

  /** Holds money for speech that will be written down, where there is not enough. */
  coverSpeech(): void {
    const { bridge, transcriptBill } = this.#parts;
    const { nextTranscriber } = bridge;
    if (nextTranscriber === undefined) return;
    const by = this.#heldFor(nextTranscriber.model);
    if (transcriptBill.isShort(by)) this.#payments.payOn(() => transcriptBill.cover(by));
  }

  /** A message to the client, whether it is still there or not. */
  see(message: RealtimeMessage): void {
    this.#charge(message);
    this.#look();
  }

  #charge(message: RealtimeMessage): void {
    const { bill, transcriptBill, unpaid } = this.#parts;
    const seen = lookAtEvent(message);
    if (seen.kind === "delta") {
      bill.responseSpoke();
      if (bill.passed.spoke(seen.audioBytes, seen.textBytes)) bill.cover().catch(unpaid);
    } else if (seen.kind === "response-begun") this.#begin(seen.id);
    else if (seen.kind === "response-done") {
      this.#responses.delete(seen.id);
      transcriptBill.speech.answered();
      this.#chargeResponse(seen);
    } else this.#hear(seen);
  }

  /** What the vendor does with the client's speech. */
  #hear(seen: Exclude<SeenEvent, Seen<"delta" | "response-begun" | "response-done">>): void {
    const { bridge, transcriptBill } = this.#parts;
    const { speech } = transcriptBill;
    switch (seen.kind) {
      case "speech-began":
        return speech.began();
      case "cleared":
        return speech.cleared();
      case "committed":
        if (bridge.nextTranscriber === undefined) speech.cleared();
        else speech.committed(seen.item);
        return this.#transcripts.begun(seen.item, bridge.transcriber);
      case "transcribed":
        speech.ended(seen.item, seen.units?.seconds);
        return this.#chargeTranscript(seen, (this.#transcripts.ended(seen.item) ?? bridge.transcriber)?.model);
      case "not-transcribed":
        speech.ended(seen.item);
        this.#transcripts.ended(seen.item);
        return;
      case "error":
      case "other":
    }
  }

  /** Nothing more is expected of the vendor. */
  forget(): void {
    this.#forgotten = true;
    this.#settledDown?.();
  }

  /**
   * The client has left, and pays for what it asked: the vendor is told to end it, and heard until its usage is told.
   * Resolves then, or when so much time has passed.
   */
  windUp(withinMs: number): Promise<void> {
    if (this.#forgotten) return Promise.resolve();
    const { bill, bridge, tellVendor } = this.#parts;
    // A transcript may take a while, for which the client may want its money in another session.
    if (!this.answering) void bill.letGo();
    for (const id of this.#responses) bridge.cancel(id).forEach(tellVendor);
    bridge.stop().forEach(tellVendor);
    if (!this.#isOwing()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#settledDown = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The session is over: what was said and never reported is charged as it was counted, what is held goes back. */
  async close(): Promise<void> {
    const { bill, transcriptBill } = this.#parts;
    const { spoken, units } = bill.passed;
    const last = [...this.#responses].at(-1) ?? "";
    if (spoken) await bill.settle(last, { units: { requests: 1, ...units }, estimated: true, outcome: "cancelled" });
    await Promise.all([bill.letGo(), transcriptBill.close()]);
  }

  /** A response that the vendor began by itself, and without a slice, is held for now. */
  #begin(id: string): void {
    const { bill, bridge, ended, tellVendor } = this.#parts;
    this.#responses.add(id);
    if (!bill.responseBegun(id)) this.#payments.payOn(() => bill.holdFor(id));
    if (ended()) bridge.cancel(id).forEach(tellVendor);
  }

  #chargeResponse({ id, units, outcome }: Seen<"response-done">): void {
    const { bill, bridge } = this.#parts;
    if (id !== "" && !this.#billed.add(id)) return;
    this.#payments.settled();
    // What failed before its first word, and is not said to have cost anything, costs nothing.
    if (units === undefined && !bill.passed.spoken) void bill.responseFree(id).then(this.#parts.paid);
    else {
      const counted = { requests: 1, ...bill.passed.units };
      void bill.settle(id, { units: units ?? counted, estimated: units === undefined, outcome });
      this.#payments.payOn(() => bill.hold(bridge.responsesAsked), { mayWait: true });
    }
  }

  /** A transcript is a use of the model that wrote it: of the session's own where the catalogue has none for it. */
  #chargeTranscript({ id, units, textBytes }: Seen<"transcribed">, model: string | undefined): void {
    const { transcriptBill } = this.#parts;
    // A vendor that names no model and tells no use does it as a part of its responses.
    if ((units === undefined && model === undefined) || !this.#billed.add(id)) return;
    const written = { requests: 1, ...roughUnits({ audioIn: 0, textIn: 0, audioOut: 0, textOut: textBytes }) };
    const outcome: Outcome = "completed";
    const used = capUnits(units ?? written, this.#parts.bill.passed.most);
    transcriptBill.owe({
      units: used.units,
      capped: used.capped.length > 0 ? used.capped : undefined,
      estimated: units === undefined,
      outcome,
      ...this.#heldFor(model),
    });
    this.#payments.payOn(() => transcriptBill.pay());
  }

  /** What a transcript by a model is held and billed as. */
  #heldFor(model: string | undefined): HeldFor {
    const { bill, call } = this.#parts;
    const price = model === undefined ? undefined : priceOfTranscripts(this.#deps, call, model);
    return { price: price ?? bill.price, by: model };
  }

  /** Whether the vendor has still to tell what something costs. */
  #isOwing(): boolean {
    return this.answering || this.#transcripts.pending;
  }

  #look(): void {
    if (this.#settledDown !== undefined && !this.#isOwing()) this.#settledDown();
  }
}
