import type { Units } from "@modelgate/contracts";

/** What a vendor answers in the chat wire, in our own words from what is public of it, and what it must be billed as. */
export interface Recording {
  /** Where the vendor's answers are recorded or documented. */
  readonly source: string;
  /** The vendor's name of the model. */
  readonly model: string;
  /** The words of the answer, without thoughts. */
  readonly says: string;
  /** The answer in one piece. */
  readonly whole: object;
  /** Its units, counted by hand. */
  readonly units: Units;
  /** The answer's chunks; `[DONE]` follows them. */
  readonly stream: readonly object[];
  readonly streamUnits: Units;
}
