import type { Units } from "@modelgate/contracts";
import { countTokens, estimateTokens } from "./tokens.ts";

/** Raw text kept before it is counted; most streams end, with the vendor's own usage, before they reach it. */
const mostHeld = 64 * 1024;

/** How to read words out of what a stream brings. */
export interface Script {
  /** The model's words out of many raw pieces. */
  wordsOf(raw: string): string;
  /** About which part of a raw piece is words. */
  readonly share: number;
}

/** Pieces that are words and nothing else. */
export const plainWords: Script = { wordsOf: (raw) => raw, share: 1 };

/**
 * What a stream has brought so far: the vendor's last report of usage, or else the words themselves, counted as they
 * come so that no stream is ever held.
 */
export class Produced {
  #script: Script = plainWords;
  #held: string[] = [];
  #heldCharacters = 0;
  #counted: Promise<number> = Promise.resolve(0);
  #characters = 0;
  /** The newest report; the last one is the value, not the sum. */
  usage: Units | undefined;

  /** Says how the pieces that follow are read; before the first of them. */
  readAs(script: Script): void {
    this.#script = script;
  }

  /** Takes a piece of what the model wrote. */
  add(raw: string): void {
    if (raw === "") return;
    this.#held.push(raw);
    this.#heldCharacters += raw.length;
    this.#characters += raw.length;
    if (this.#heldCharacters > mostHeld) this.#count();
  }

  /** Whether anything came at all. */
  get any(): boolean {
    return this.#characters > 0 || this.usage !== undefined;
  }

  /** A rough count for a hold's floor. */
  get roughTokens(): number {
    return estimateTokens(this.#characters * this.#script.share);
  }

  /** Output tokens by the tokenizer. */
  outputTokens(): Promise<number> {
    this.#count();
    return this.#counted;
  }

  #count(): void {
    const words = this.#script.wordsOf(this.#held.join("\n"));
    this.#held = [];
    this.#heldCharacters = 0;
    this.#counted = this.#counted.then(async (sum) => sum + (await countTokens(words)));
  }
}
