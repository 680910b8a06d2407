import type { Candidate } from "@modelgate/catalog";
import { getOrCreate } from "./evidence.ts";
import { modelScopeOf } from "./channel-scope.ts";

/** Maximum channel models whose speed is remembered; the least recently used one is dropped. */
const maxModels = 10_000;
/** Minimum weight of a new measurement, which applies if the previous one was made shortly before. */
const minWeight = 0.1;

/** Number of running calls to one model of a channel. The end of each call decreases it. */
export interface OpenCalls {
  inFlight: number;
}

/** Measured speed of one model of a channel. */
interface SeenSpeed extends OpenCalls {
  /** Decayed mean of the time until an answer began; 0 if there was none. */
  ms: number;
  /** Time of the last answer, Unix ms. */
  at: number;
}

/**
 * Measures how fast the channels' vendors begin to answer in this process, per model. Measurements decay, so that a
 * channel that was slow is tried again.
 */
export class Speeds {
  readonly #models = new Map<string, SeenSpeed>();
  readonly #decayMs: number;
  readonly #now: () => number;

  constructor(decayMs: number, now: () => number = Date.now) {
    this.#decayMs = decayMs;
    this.#now = now;
  }

  /**
   * Counts a call that begins at the candidate. The caller decreases `inFlight` of the returned object when the call
   * ends.
   */
  began(candidate: Candidate): SeenSpeed {
    const name = modelScopeOf(candidate);
    const seen = getOrCreate(this.#models, name, maxModels, () => ({ ms: 0, at: 0, inFlight: 0 }));
    seen.inFlight++;
    return seen;
  }

  /** Records that an answer began `ms` after its call was sent. */
  answered(seen: SeenSpeed, ms: number): void {
    const now = this.#now();
    const weight = seen.at === 0 ? 1 : Math.max(minWeight, 1 - this.#left(seen, now));
    seen.ms += (ms - seen.ms) * weight;
    seen.at = now;
  }

  /** Returns the expected wait of a call, as a number for comparison: lower is faster. */
  score(candidate: Candidate): number {
    const seen = this.#models.get(modelScopeOf(candidate));
    if (seen === undefined) return 0;
    return (seen.ms * this.#left(seen, this.#now()) + 1) * (seen.inFlight + 1);
  }

  /** Returns the remaining weight of the earlier measurements, from 0 to 1. */
  #left({ at }: SeenSpeed, now: number): number {
    return Math.exp(-Math.max(0, now - at) / this.#decayMs);
  }
}
