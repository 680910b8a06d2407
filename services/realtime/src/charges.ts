import type { Failure } from "@modelgate/contracts";
import {
  inputOf,
  lookAtEvent,
  roughUnits,
  type RealtimeBridge,
  type RealtimeMessage,
  type SeenEvent,
} from "@modelgate/wires";
import type { Deps } from "./deps.ts";
import { holdOn } from "./hold-on.ts";
import { RecentIds } from "./recent-ids.ts";
import type { SessionBill } from "./session-bill.ts";
import { priceOfTranscripts } from "./transcribers.ts";
import { Transcripts } from "./transcripts.ts";
import type { SessionCall } from "./session-call.ts";

/** Who is charged, for what. */
export interface ChargesParts {
  readonly call: SessionCall;
  readonly bill: SessionBill;
  readonly bridge: RealtimeBridge;
  /** Whether the session has ended: nothing is held for it any more. */
  readonly ended: () => boolean;
  /** Sends the vendor a message of the gateway's own. */
  readonly tellVendor: (message: RealtimeMessage) => void;
  /** Nothing of the client's goes on while there is a reason, since its money is not there yet. */
  readonly pause: (reason: string) => void;
  readonly resume: (reason: string) => void;
  /** The money does not come at once: the client is told why it waits. */
  readonly waits: (failure: Failure) => void;
  /** The money does not come. */
  readonly unpaid: (error: unknown) => void;
}

type Seen<Kind extends SeenEvent["kind"]> = Extract<SeenEvent, { readonly kind: Kind }>;

/**
 * What is charged of a session. Each response that the vendor reports is settled once, and the client waits until the
 * money for the next is held; a transcript of what the client said is a use of the model that wrote it.
 */
export class Charges {
  readonly #deps: Deps;
  readonly #parts: ChargesParts;
  /** Responses that the vendor has begun and not ended. */
  readonly #responses = new Set<string>();
  readonly #transcripts = new Transcripts();
  readonly #billed = new RecentIds();
  #waits = 0;
  /** The vendor is lost: what it owes will never be told. */
  #forgotten = false;
  /** Called when the vendor owes no usage any more. */
  #settledDown: (() => void) | undefined;

  constructor(deps: Deps, parts: ChargesParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  /** Whether the vendor owes an answer: the rest of a response, or its first word to what it was asked. */
  get answering(): boolean {
    return this.#responses.size > 0 || this.#parts.bridge.asked;
  }

  /** A message of the client's, which the vendor is asked with. */
  heard(message: RealtimeMessage): void {
    const { bill } = this.#parts;
    const { audioBytes, textBytes } = inputOf(message);
    bill.passed.heard(audioBytes, textBytes);
    // Words are read whole by the next response; what of the sound is speech, the vendor finds out.
    if (textBytes > 0 && bill.isShort) this.#payOn(() => bill.cover());
  }

  /** A message to the client, whether it is still there or not. */
  see(message: RealtimeMessage): void {
    this.#charge(message);
    this.#look();
  }

  #charge(message: RealtimeMessage): void {
    const { bill, bridge, unpaid } = this.#parts;
    const seen = lookAtEvent(message);
    switch (seen.kind) {
      case "delta":
        bill.responseSpoke();
        if (bill.passed.spoke(seen.audioBytes, seen.textBytes)) bill.cover().catch(unpaid);
        return;
      case "response-begun":
        return this.#begin(seen.id);
      case "response-done":
        this.#responses.delete(seen.id);
        return this.#chargeResponse(seen);
      case "committed":
        return this.#transcripts.begun(seen.item, bridge.transcriber);
      case "transcribed":
        return this.#chargeTranscript(seen, (this.#transcripts.ended(seen.item) ?? bridge.transcriber)?.model);
      case "not-transcribed":
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
    const { bridge, tellVendor } = this.#parts;
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
    const { bill } = this.#parts;
    const { spoken, units } = bill.passed;
    if (spoken) await bill.settle({ units: { requests: 1, ...units }, estimated: true, outcome: "cancelled" });
    await bill.close();
  }

  #begin(id: string): void {
    const { bill, bridge, ended, tellVendor } = this.#parts;
    this.#responses.add(id);
    bill.responseBegun();
    if (ended()) bridge.cancel(id).forEach(tellVendor);
  }

  #chargeResponse({ id, units, outcome }: Seen<"response-done">): void {
    const { bill } = this.#parts;
    if (id !== "" && !this.#billed.add(id)) return;
    // What failed before its first word, and is not said to have cost anything, costs nothing.
    if (units === undefined && !bill.passed.spoken) return;
    const counted = { requests: 1, ...bill.passed.units };
    void bill.settle({ units: units ?? counted, estimated: units === undefined, outcome });
    this.#payOn(() => bill.hold());
  }

  /** A transcript is a use of the model that wrote it: of the session's own where the catalogue has none for it. */
  #chargeTranscript({ id, units, textBytes }: Seen<"transcribed">, model: string | undefined): void {
    const { bill, call } = this.#parts;
    // A vendor that names no model and tells no use does it as a part of its responses.
    if ((units === undefined && model === undefined) || !this.#billed.add(id)) return;
    const price = model === undefined ? undefined : priceOfTranscripts(this.#deps, call, model);
    const written = { requests: 1, ...roughUnits({ audioIn: 0, textIn: 0, audioOut: 0, textOut: textBytes }) };
    bill.owe({
      units: units ?? written,
      estimated: units === undefined,
      outcome: "completed",
      price: price ?? bill.price,
      by: model,
    });
    this.#payOn(() => bill.payOwed());
  }

  /** Lets nothing more of the client's to the vendor until this is paid; a session that has ended pays at its close. */
  #payOn(pay: () => Promise<void>): void {
    const { call, ended, waits, pause, resume, unpaid } = this.#parts;
    if (ended()) return;
    const reason = `money ${++this.#waits}`;
    pause(reason);
    void holdOn(this.#deps, { tokenId: call.caller.tokenId, pay, ended, waits }).then(() => resume(reason), unpaid);
  }

  /** Whether the vendor has still to tell what something costs. */
  #isOwing(): boolean {
    return this.answering || this.#transcripts.pending;
  }

  #look(): void {
    if (this.#settledDown !== undefined && !this.#isOwing()) this.#settledDown();
  }
}
