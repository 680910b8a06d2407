import type { Bus, BusMessage, Progress, Published } from "@modelgate/platform";
import type { Chance } from "./chance.ts";

/**
 * What stands between services and ledger, at its worst: publishing fails, or works and its acknowledgement is lost; a
 * repetition outside JetStream's window is stored again; messages come in any order, again, and late.
 */
export class LossyBus implements Bus {
  readonly connected = true;
  /** Ids that were ever stored. */
  readonly ids = new Set<string>();
  readonly #chance: Chance;
  readonly #readers: ((bodies: readonly string[]) => Promise<void>)[] = [];
  #waiting: string[] = [];
  /** While off, nothing is lost, repeated or kept back any more. */
  lossy = true;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  #bad(percent: number): boolean {
    return this.lossy && this.#chance.in100(percent);
  }

  publish(messages: readonly BusMessage[]): Promise<readonly Published[]> {
    if (this.#bad(5)) return Promise.reject(new Error("nats is away"));
    return Promise.resolve(messages.map((message) => this.#store(message)));
  }

  #store({ body, id }: BusMessage): Published {
    if (this.#bad(15)) return new Error("not stored");
    if (!this.ids.has(id) || this.#bad(20)) this.#waiting.push(body);
    this.ids.add(id);
    return this.#bad(15) ? new Error("no acknowledgement") : undefined;
  }

  consume(stream: string, _durable: string, handle: (bodies: readonly string[]) => Promise<void>): AsyncDisposable {
    if (stream === "USAGE") this.#readers.push(handle);
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }

  /** Hands some of what waits to one of the readers, in any order; a batch may come again. */
  async deliver(): Promise<void> {
    const mixed = this.#chance.shuffled(this.#waiting);
    const count = this.lossy ? this.#chance.below(mixed.length + 1) : mixed.length;
    const batch = mixed.slice(0, count);
    this.#waiting = this.#bad(25) ? mixed : mixed.slice(count);
    await this.#chance.one(this.#readers)?.(batch.filter((body) => "costNanos" in JSON.parse(body)));
  }

  progress(): Promise<Progress> {
    const waiting = this.#waiting.length;
    return Promise.resolve({ last: waiting, handled: 0, waiting, age: () => Promise.resolve(0) });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
