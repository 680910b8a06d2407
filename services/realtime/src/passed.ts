import { tokensIn, type Units } from "@modelgate/contracts";
import { roughUnits, type Passed } from "@modelgate/wires";

/** Tokens that are counted between two looks at whether a hold still covers them. */
const lookEveryTokens = 256;
const none: Passed = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };

/** What has passed through a session since a use was last settled: for what dies before its usage is told. */
export class PassedSince {
  #passed: Passed = none;
  #looked = 0;

  /** Counts what passes to the vendor, in bytes. */
  heard(audio: number, text: number): void {
    const { audioIn, textIn } = this.#passed;
    this.#passed = { ...this.#passed, audioIn: audioIn + audio, textIn: textIn + text };
  }

  /** Counts what passes to the client; true where it is time to look whether the hold still covers it. */
  spoke(audio: number, text: number): boolean {
    const { audioOut, textOut } = this.#passed;
    this.#passed = { ...this.#passed, audioOut: audioOut + audio, textOut: textOut + text };
    const tokens = tokensIn(this.units);
    if (tokens < this.#looked + lookEveryTokens) return false;
    this.#looked = tokens;
    return true;
  }

  /** A rough count of it. */
  get units(): Units {
    return roughUnits(this.#passed);
  }

  /** Whether the vendor has said anything. */
  get spoken(): boolean {
    return this.#passed.audioOut + this.#passed.textOut > 0;
  }

  settled(): void {
    this.#passed = none;
    this.#looked = 0;
  }
}
