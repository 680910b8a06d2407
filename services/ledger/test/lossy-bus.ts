import type { BatchHandler, Bus, BusMessage, Progress, PublishResult } from "@modelgate/platform";
import type { RandomSource } from "./seeded-random.ts";

/** Bus that loses acknowledgements, stores events twice, and delivers messages late, repeatedly and in any order. */
export class LossyBus implements Bus {
  readonly connected = true;
  readonly ids = new Set<string>();
  readonly #random: RandomSource;
  readonly #readers: ((bodies: readonly string[]) => Promise<void>)[] = [];
  #waiting: string[] = [];
  /** False if nothing is lost, repeated or delayed. */
  lossy = true;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  #fails(percent: number): boolean {
    return this.lossy && this.#random.withProbability(percent);
  }

  publish(messages: readonly BusMessage[]): Promise<readonly PublishResult[]> {
    if (this.#fails(5)) return Promise.reject(new Error("nats is unavailable"));
    return Promise.resolve(messages.map((message) => this.#store(message)));
  }

  #store({ body, id }: BusMessage): PublishResult {
    if (this.#fails(15)) return new Error("not stored");
    if (!this.ids.has(id) || this.#fails(20)) this.#waiting.push(body);
    this.ids.add(id);
    return this.#fails(15) ? new Error("no acknowledgement") : undefined;
  }

  consume(stream: string, _durable: string, _gatherMs: number, handle: BatchHandler): AsyncDisposable {
    if (stream === "USAGE") this.#readers.push(handle);
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }

  /** Delivers some of the waiting messages in random order. */
  async deliver(): Promise<void> {
    const mixed = this.#random.shuffled(this.#waiting);
    const count = this.lossy ? this.#random.below(mixed.length + 1) : mixed.length;
    const batch = mixed.slice(0, count);
    this.#waiting = this.#fails(25) ? mixed : mixed.slice(count);
    await this.#random.pick(this.#readers)?.(batch.filter((body) => "costNanos" in JSON.parse(body)));
  }

  readProgress(): Promise<Progress> {
    const waiting = this.#waiting.length;
    return Promise.resolve({
      created: "",
      last: waiting,
      handled: 0,
      waiting,
      readOldestAgeMs: () => Promise.resolve(0),
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
