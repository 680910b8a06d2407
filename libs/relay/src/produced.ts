import type { Units } from "@modelgate/contracts";
import type { PassCodec } from "@modelgate/wires";
import { countTokens, estimateTokens } from "./tokens.ts";

/** Raw text kept before it is counted; most streams end, with the vendor's own usage, before they reach it. */
const mostHeld = 64 * 1024;

/**
 * What a stream has brought so far: the vendor's last report of usage, or else the words themselves, counted as they
 * come so that no stream is ever held.
 */
export class Produced {
  readonly #wire: PassCodec;
  #held: string[] = [];
  #heldCharacters = 0;
  #counted: Promise<number> = Promise.resolve(0);
  #characters = 0;
  /** The newest report; the last one is the value, not the sum. */
  usage: Units | undefined;

  constructor(wire: PassCodec) {
    this.#wire = wire;
  }

  /** Takes a frame's words. */
  add(frame: Buffer): void {
    const raw = this.#wire.written(frame);
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
    // About half of a raw piece is the frame's own words.
    return estimateTokens(this.#characters / 2);
  }

  /** Output tokens by the tokenizer. */
  outputTokens(): Promise<number> {
    this.#count();
    return this.#counted;
  }

  #count(): void {
    const words = this.#wire.wordsOf(this.#held.join("\n"));
    this.#held = [];
    this.#heldCharacters = 0;
    this.#counted = this.#counted.then(async (sum) => sum + (await countTokens(words)));
  }
}
