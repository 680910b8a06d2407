import type { Units } from "@modelgate/contracts";

/**
 * What a vendor answers in the chat wire, in our own words from what is public of it, and what it must be billed as. Numbers,
 * members and their order are the source's; a recording's own comment says what of it is by the documentation alone.
 */
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
  /** What it answers in the messages wire, where that is recorded. */
  readonly messages?: MessagesRecording;
}

/** What a vendor answers in the messages wire; an answer without a recording is absent. */
export interface MessagesRecording {
  readonly source: string;
  readonly whole?: { readonly says: string; readonly body: object; readonly units: Units };
  readonly stream?: { readonly says: string; readonly events: readonly MessagesEvent[]; readonly units: Units };
}

/** An event of a stream; its name is its type. */
export interface MessagesEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}
