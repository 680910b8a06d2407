import type { Outcome, UnitName, Units } from "@modelgate/contracts";
import type { UsageBound } from "./usage-bound.ts";

/** What a call used, and whether that had to be estimated. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
  /** Units of which more was reported or written than the call could use. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** How a call is measured whose cost does not hang on text alone: speech by its characters, audio by its seconds. */
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
   * What it used. `told` is the vendor's report, undefined for none; `words` counts the tokens that the model wrote, as
   * far as the exchange told them; `outcome` is how the call ended, whole where it is absent.
   */
  meter(told: Units | undefined, words: () => Promise<number>, outcome?: Outcome): Promise<Metered>;
}
