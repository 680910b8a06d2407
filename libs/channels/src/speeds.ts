import type { Candidate } from "@modelgate/catalog";
import { getOrCreate } from "./evidence.ts";
import { modelScopeOf } from "./rest-scope.ts";

/** Models of channels whose speed is remembered; the one unused for longest is dropped. */
const maxModels = 10_000;
/** Least weight of a newest answer, however shortly after the one before it came. */
const minWeight = 0.1;

/** The calls that are under way at a channel's model: one less once a call is over. */
export interface OpenCalls {
  inFlight: number;
}

interface SeenSpeed extends OpenCalls {
  /** Decayed mean of the time to the beginning of an answer; 0 where none has begun. */
  ms: number;
  /** Time of the last answer, Unix ms. */
  at: number;
}

/**
 * Measures how fast the vendors behind channels begin to answer, model by model, as far as this process saw it: for choosing among
 * them. What was seen fades, so that one that was slow is tried again.
 */
export class Speeds {
  readonly #models = new Map<string, SeenSpeed>();
  readonly #decayMs: number;
  readonly #now: () => number;

  constructor(decayMs: number, now: () => number = Date.now) {
    this.#decayMs = decayMs;
    this.#now = now;
  }

  /** Counts a call that is under way there. */
  began(candidate: Candidate): OpenCalls {
    const seen = this.#seen(candidate);
    seen.inFlight++;
    return seen;
  }

  /** An answer began after so long. */
  answered(candidate: Candidate, ms: number): void {
    const seen = this.#seen(candidate);
    const now = this.#now();
    const weight = seen.at === 0 ? 1 : Math.max(minWeight, 1 - this.#left(seen, now));
    seen.ms += (ms - seen.ms) * weight;
    seen.at = now;
  }

  /** Returns the likely wait of a call there, as a number to compare: the lower, the sooner. */
  score(candidate: Candidate): number {
    const seen = this.#models.get(modelScopeOf(candidate));
    if (seen === undefined) return 0;
    return (seen.ms * this.#left(seen, this.#now()) + 1) * (seen.inFlight + 1);
  }

  /** Returns the share that is left of an earlier measurement. */
  #left({ at }: SeenSpeed, now: number): number {
    return Math.exp(-Math.max(0, now - at) / this.#decayMs);
  }

  #seen(candidate: Candidate): SeenSpeed {
    return getOrCreate(this.#models, modelScopeOf(candidate), maxModels, () => ({ ms: 0, at: 0, inFlight: 0 }));
  }
}
