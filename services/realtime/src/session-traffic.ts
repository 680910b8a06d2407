import { tokensIn, type Units } from "@modelgate/contracts";
import { roughUnits, type SessionBytes } from "@modelgate/wires/realtime";
import type { UsageBound } from "@modelgate/relay";
import { boundOfSession } from "./session-bound.ts";

/** Tokens that are counted between two checks whether a hold still covers them. */
const checkEveryTokens = 256;
const none: SessionBytes = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };

/**
 * Data that has passed through a session since usage was last settled: for responses that end before their usage is
 * reported.
 */
export class SessionTraffic {
  #passed: SessionBytes = none;
  /** Data that passed since the session began: the context that a response may have read. */
  #all: SessionBytes = none;
  /** Input that came while a response was under way: the next response reads it. */
  #forNext: SessionBytes | undefined;
  #checked = 0;

  /** Counts what passes to the vendor, in bytes. */
  heard(audio: number, text: number): void {
    this.#all = plusInput(this.#all, audio, text);
    this.#passed = plusInput(this.#passed, audio, text);
    if (this.#forNext !== undefined) this.#forNext = plusInput(this.#forNext, audio, text);
  }

  /** Counts what passes to the client; true where it is time to check whether the hold still covers it. */
  spoke(audio: number, text: number): boolean {
    const { audioOut, textOut } = this.#passed;
    this.#all = { ...this.#all, audioOut: this.#all.audioOut + audio, textOut: this.#all.textOut + text };
    this.#passed = { ...this.#passed, audioOut: audioOut + audio, textOut: textOut + text };
    const tokens = tokensIn(this.units);
    if (tokens < this.#checked + checkEveryTokens) return false;
    this.#checked = tokens;
    return true;
  }

  /** A rough count of it. */
  get units(): Units {
    return roughUnits(this.#passed);
  }

  /** True if the vendor has sent any output. */
  get spoken(): boolean {
    return this.#passed.audioOut + this.#passed.textOut > 0;
  }

  /** Maximum that a response can have used that is over now, or a transcript of the client's speech. */
  get most(): UsageBound {
    return boundOfSession(this.#all, this.#passed);
  }

  /** A response begins: it has read what was heard until now. */
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
