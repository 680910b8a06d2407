import { tokensIn, type Units } from "@modelgate/contracts";
import { estimateUnits, type SessionBytes } from "@modelgate/wires/realtime";
import type { UsageBound } from "@modelgate/relay";
import { boundOfSession } from "./session-bound.ts";

/** Number of tokens after which the reservation is checked again. */
const checkEveryTokens = 256;
const noBytes: SessionBytes = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };

/**
 * Bytes in a session since the last settlement. They are charged for a response that ends before its usage is reported.
 */
export class SessionTraffic {
  #sinceSettlement: SessionBytes = noBytes;
  /** Bytes since the session started. A response may have read all of them. */
  #all: SessionBytes = noBytes;
  /** Input that came while a response was running, which the next response reads. */
  #forNext: SessionBytes | undefined;
  #checkedTokens = 0;

  /** Counts bytes sent to the vendor. */
  addInput(audio: number, text: number): void {
    this.#all = plusInput(this.#all, audio, text);
    this.#sinceSettlement = plusInput(this.#sinceSettlement, audio, text);
    if (this.#forNext !== undefined) this.#forNext = plusInput(this.#forNext, audio, text);
  }

  /** Counts bytes sent to the client. Returns true if the reservation should be checked. */
  addOutput(audio: number, text: number): boolean {
    const { audioOut, textOut } = this.#sinceSettlement;
    this.#all = { ...this.#all, audioOut: this.#all.audioOut + audio, textOut: this.#all.textOut + text };
    this.#sinceSettlement = { ...this.#sinceSettlement, audioOut: audioOut + audio, textOut: textOut + text };
    const tokens = tokensIn(this.units);
    if (tokens < this.#checkedTokens + checkEveryTokens) return false;
    this.#checkedTokens = tokens;
    return true;
  }

  /** Usage since the last settlement, estimated from the bytes. */
  get units(): Units {
    return estimateUnits(this.#sinceSettlement);
  }

  /** True if the vendor has sent output since the last settlement. */
  get hasOutput(): boolean {
    return this.#sinceSettlement.audioOut + this.#sinceSettlement.textOut > 0;
  }

  /** Maximum usage of a response, or of a transcript of the client's speech, that ends now. */
  get bound(): UsageBound {
    return boundOfSession(this.#all, this.#sinceSettlement);
  }

  /** Notes the start of a response, which reads the input so far. Later input is read by the next response. */
  startResponse(): void {
    this.#forNext = noBytes;
  }

  /** Starts to count for the next settlement. Input that came during the response remains counted. */
  startNextUse(): void {
    this.#sinceSettlement = this.#forNext ?? noBytes;
    this.#forNext = undefined;
    this.#checkedTokens = tokensIn(this.units);
  }
}

function plusInput(bytes: SessionBytes, audio: number, text: number): SessionBytes {
  return { ...bytes, audioIn: bytes.audioIn + audio, textIn: bytes.textIn + text };
}
