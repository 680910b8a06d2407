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

/** What was seen of a channel's model. */
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

  /** Counts a call that is under way there. */
  began(candidate: Candidate): SeenSpeed {
    const name = modelScopeOf(candidate);
    const seen = getOrCreate(this.#models, name, maxModels, () => ({ ms: 0, at: 0, inFlight: 0 }));
    seen.inFlight++;
    return seen;
  }

  /** An answer began after so long, to a call that is under way there. */
  answered(seen: SeenSpeed, ms: number): void {
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
}
