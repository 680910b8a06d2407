import type { Outcome, UnitName, Units } from "@modelgate/contracts";
import type { RequestSize } from "./request-size.ts";
import type { UsageBound } from "./usage-bound.ts";

/** What bounds a call's cost, and what it used: the tokens of a text, or a measure of its own. */
export type CallCost = TextCost | MeasuredCost;

/** The cost of a text, by the tokens of the request and its answer. */
export interface TextCost {
  readonly by: "text";
  readonly size: RequestSize;
  /** The client's body, untouched: its text is counted where the vendor reports no usage. */
  readonly body: Buffer;
  /** Whether the answer is a stream: its hold grows with it, in steps. */
  readonly stream: boolean;
  /** Whether output may be billed that a stream does not show: it is held for whole before it begins. */
  readonly billsUnseen?: boolean | undefined;
}

/** The cost of what does not hang on text alone: speech by its characters, audio by its seconds, images by their number. */
export interface MeasuredCost {
  readonly by: "measure";
  readonly measure: Measure;
}

/** What a call used, and whether that had to be estimated. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units of which more was reported or written than the call could use. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** How a call is measured whose cost does not hang on text alone. */
export interface Measure {
  /** The most that it may use: what is held. */
  readonly upper: Units;
  /** What is certain once it is sent: what is charged where the service dies, or the client leaves before the answer. */
  readonly floor: Units;
  /** What is certain where the client left and the vendor was not heard out; absent: `floor`. */
  left?(): Promise<Units>;
  /** The most that can be billed, whatever the vendor reports; what is absent follows from `upper`. */
  readonly most?: Partial<UsageBound> | undefined;
  /**
   * Meters what it used. `reported` is the vendor's report, undefined for none; `words` counts the tokens that the model
   * wrote, as far as the exchange shows them; `outcome` is how the call ended, whole where it is absent.
   */
  meter(reported: Units | undefined, words: () => Promise<number>, outcome?: Outcome): Promise<Metered>;
}
