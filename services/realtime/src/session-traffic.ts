import { tokensIn, type Units } from "@modelgate/contracts";
import { roughUnits, type SessionBytes } from "@modelgate/wires/realtime";
import type { UsageBound } from "@modelgate/relay";
import { boundOfSession } from "./session-bound.ts";

/** Tokens counted between two checks that the reservation still covers them. */
const checkEveryTokens = 256;
const none: SessionBytes = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };

/**
 * Bytes that have passed through a session since usage was last settled, for responses that end before their usage is
 * reported.
 */
export class SessionTraffic {
  #passed: SessionBytes = none;
  /** Bytes that have passed since the session started: the context that a response may have read. */
  #all: SessionBytes = none;
  /** Input that came while a response was running; the next response reads it. */
  #forNext: SessionBytes | undefined;
  #checked = 0;

  /** Counts bytes sent to the vendor. */
  heard(audio: number, text: number): void {
    this.#all = plusInput(this.#all, audio, text);
    this.#passed = plusInput(this.#passed, audio, text);
    if (this.#forNext !== undefined) this.#forNext = plusInput(this.#forNext, audio, text);
  }

  /** Counts bytes sent to the client. Returns true when the reservation should be checked. */
  spoke(audio: number, text: number): boolean {
    const { audioOut, textOut } = this.#passed;
    this.#all = { ...this.#all, audioOut: this.#all.audioOut + audio, textOut: this.#all.textOut + text };
    this.#passed = { ...this.#passed, audioOut: audioOut + audio, textOut: textOut + text };
    const tokens = tokensIn(this.units);
    if (tokens < this.#checked + checkEveryTokens) return false;
    this.#checked = tokens;
    return true;
  }

  /** Estimates the usage of these bytes. */
  get units(): Units {
    return roughUnits(this.#passed);
  }

  /** True if the vendor has sent any output. */
  get spoken(): boolean {
    return this.#passed.audioOut + this.#passed.textOut > 0;
  }

  /** Maximum usage of a response that has ended, or of a transcript of the client's speech. */
  get most(): UsageBound {
    return boundOfSession(this.#all, this.#passed);
  }

  /** Starts a response, which has read all input so far. */
  begun(): void {
    this.#forNext = none;
  }

  settled(): void {
    this.#passed = this.#forNext ?? none;
    this.#forNext = undefined;
    this.#checked = tokensIn(this.units);
  }
}

function plusInput(passed: SessionBytes, audio: number, text: number): SessionBytes {
  return { ...passed, audioIn: passed.audioIn + audio, textIn: passed.textIn + text };
}
