import type { Candidate } from "@modelgate/catalog";
import { getOrCreate } from "./evidence.ts";
import { modelScopeOf } from "./channel-scope.ts";

/** Maximum models of channels whose speed is remembered. The least recently used one is dropped. */
const maxModels = 10_000;
/** Minimum weight of a new measurement. */
const minWeight = 0.1;

/** Number of running calls to one model of a channel. The end of each call decreases it. */
export interface OpenCalls {
  inFlight: number;
}

interface MeasuredSpeed extends OpenCalls {
  /** Decayed mean of the time until an answer began; 0 before the first answer. */
  meanMs: number;
  /** Time of the last answer, Unix ms. */
  lastAnswerAt: number;
}

/** Measures how fast vendors begin to answer. Measurements decay, so that a slow channel is tried again. */
export class Speeds {
  readonly #models = new Map<string, MeasuredSpeed>();
  readonly #decayMs: number;
  readonly #now: () => number;

  constructor(decayMs: number, now: () => number = Date.now) {
    this.#decayMs = decayMs;
    this.#now = now;
  }

  /** Counts a call that begins. The caller decreases `inFlight` when the call ends. */
  startCall(candidate: Candidate): MeasuredSpeed {
    const name = modelScopeOf(candidate);
    const speed = getOrCreate(this.#models, name, maxModels, () => ({ meanMs: 0, lastAnswerAt: 0, inFlight: 0 }));
    speed.inFlight++;
    return speed;
  }

  /** Records that an answer began `ms` after its call was sent. */
  recordAnswer(speed: MeasuredSpeed, ms: number): void {
    const now = this.#now();
    const weight = speed.lastAnswerAt === 0 ? 1 : Math.max(minWeight, 1 - this.#remainingWeight(speed, now));
    speed.meanMs += (ms - speed.meanMs) * weight;
    speed.lastAnswerAt = now;
  }

  /** Returns the expected wait of a call, as a number for comparison: lower is faster. */
  score(candidate: Candidate): number {
    const speed = this.#models.get(modelScopeOf(candidate));
    if (speed === undefined) return 0;
    return (speed.meanMs * this.#remainingWeight(speed, this.#now()) + 1) * (speed.inFlight + 1);
  }

  /** Returns the remaining weight of the earlier measurements, from 0 to 1. */
  #remainingWeight({ lastAnswerAt }: MeasuredSpeed, now: number): number {
    return Math.exp(-Math.max(0, now - lastAnswerAt) / this.#decayMs);
  }
}
