import type { Outcome, Units } from "@modelgate/contracts";

/** What a call used, and whether that had to be estimated. */
export interface Metered {
  readonly units: Units;
  readonly estimated: boolean;
}

/** How a call is measured whose cost does not hang on text alone: speech by its characters, audio by its seconds. */
export interface Measure {
  /** The most that it may use: what is held. */
  readonly upper: Units;
  /** What is certain once it is sent: what is charged where the service dies. */
  readonly floor: Units;
  /**
   * What it used. `told` is the vendor's report, undefined for none; `words` counts the tokens that the model wrote, as
   * far as the exchange told them; `outcome` is how the call ended, whole where it is absent.
   */
  meter(told: Units | undefined, words: () => Promise<number>, outcome?: Outcome): Promise<Metered>;
}
