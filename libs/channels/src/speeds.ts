import type { Candidate } from "@modelgate/catalog";
import { getOrCreate } from "./evidence.ts";
import { modelScopeOf } from "./rest-scope.ts";

/** Maximum models of channels whose speed is remembered; the least recently used one is dropped. */
const maxModels = 10_000;
/** Minimum weight of a new measurement, however short the interval since the previous one. */
const minWeight = 0.1;

/** Number of open calls at a channel's model; the disposal of a call decreases it. */
export interface OpenCalls {
  inFlight: number;
}

interface SeenSpeed extends OpenCalls {
  /** Decayed mean of the time to an answer's first byte; 0 if there was none. */
  ms: number;
  /** Time of the last answer, Unix ms. */
  at: number;
}

/**
 * Measures how fast the vendors behind channels begin to answer, per model, as this process sees it. Measurements
 * decay, so that a channel that was slow is tried again.
 */
export class Speeds {
  readonly #models = new Map<string, SeenSpeed>();
  readonly #decayMs: number;
  readonly #now: () => number;

  constructor(decayMs: number, now: () => number = Date.now) {
    this.#decayMs = decayMs;
    this.#now = now;
  }

  /** Counts a call that begins. */
  began(candidate: Candidate): OpenCalls {
    const seen = this.#seen(candidate);
    seen.inFlight++;
    return seen;
  }

  /** Records that an answer began after this many ms. */
  answered(candidate: Candidate, ms: number): void {
    const seen = this.#seen(candidate);
    const now = this.#now();
    const weight = seen.at === 0 ? 1 : Math.max(minWeight, 1 - this.#left(seen, now));
    seen.ms += (ms - seen.ms) * weight;
    seen.at = now;
  }

  /** Returns the expected wait of a call, as a number to compare: lower is faster. */
  score(candidate: Candidate): number {
    const seen = this.#models.get(modelScopeOf(candidate));
    if (seen === undefined) return 0;
    return (seen.ms * this.#left(seen, this.#now()) + 1) * (seen.inFlight + 1);
  }

  /** Returns the remaining weight of an earlier measurement. */
  #left({ at }: SeenSpeed, now: number): number {
    return Math.exp(-Math.max(0, now - at) / this.#decayMs);
  }

  #seen(candidate: Candidate): SeenSpeed {
    return getOrCreate(this.#models, modelScopeOf(candidate), maxModels, () => ({ ms: 0, at: 0, inFlight: 0 }));
  }
}
