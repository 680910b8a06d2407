import { Failure } from "@modelgate/contracts";
import { bufferBytes } from "./metrics.ts";

/** A bound on what all requests of a process together hold in memory; beyond it new bodies are refused, none is lost. */
export class BufferBudget {
  readonly #limit: number;
  #taken = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Bytes held now. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes bytes, or throws Failure server_overloaded. */
  take(bytes: number): void {
    if (this.#taken + bytes > this.#limit) {
      throw new Failure("server_overloaded", "The gateway holds as many request bodies as it may; try again shortly.", {
        retryAfterSeconds: 1,
      });
    }
    this.#taken += bytes;
    bufferBytes.inc(bytes);
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    bufferBytes.dec(bytes);
  }
}
