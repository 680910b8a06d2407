import { Type, type Static } from "typebox";
import { refusedCall, RefusedCall, stored, type Failure } from "@modelgate/contracts";
import type { Redis } from "./redis.ts";
import { idSource } from "./tracing.ts";

/** The list of refused calls that no ledger has taken yet. */
const listKey = "refused-calls";
/** Maximum number of calls in that list; of more, the oldest are dropped. */
const maxListed = 10_000;
/** Pause in which a process gathers calls, and their maximum: of all accounts, and of one. */
const [gatherMs, maxGathered, maxOfAccount] = [500, 1_000, 20];

/** A refused call, and how many of its account it stands for: itself and those right after it that were left out. */
const WaitingRefusal = Type.Object({ call: RefusedCall, calls: Type.Integer({ minimum: 1 }) });
export type WaitingRefusal = Static<typeof WaitingRefusal>;

const readWaiting = stored("refused call", WaitingRefusal);

/** A request whose key is known. */
export type RefusedRequest = Omit<Parameters<typeof refusedCall>[0], "id">;

/**
 * Publishes calls that were refused, for the ledger. A call never waits for it, and what cannot be published is lost: no money
 * is in it. An account that is refused more often than `maxOfAccount` times within `gatherMs` is counted.
 */
export class RefusedCalls implements AsyncDisposable {
  readonly #redis: Redis;
  readonly #newId = idSource("ref");
  #waiting = new Map<string, WaitingRefusal[]>();
  #gathered = 0;
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Adds a call to those that are published next. */
  add(request: RefusedRequest, failure: Failure): void {
    const same = this.#waiting.get(request.accountId) ?? [];
    const last = same.at(-1);
    if (last !== undefined && same.length >= maxOfAccount) return void last.calls++;
    if (this.#gathered >= maxGathered) return;
    same.push({ call: refusedCall({ ...request, id: this.#newId() }, failure), calls: 1 });
    this.#waiting.set(request.accountId, same);
    this.#gathered++;
    this.#timer ??= setTimeout(() => this.#publish(), gatherMs).unref();
  }

  /** Publishes what waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#publish();
    await this.#publishing;
  }

  #publish(): void {
    const texts = [...this.#waiting.values()].flat().map((refusal) => JSON.stringify(refusal));
    this.#waiting = new Map();
    this.#gathered = 0;
    this.#timer = undefined;
    if (texts.length === 0 || this.#redis.status !== "ready") return;
    this.#publishing = this.#push(texts).catch(() => undefined);
  }

  async #push(texts: readonly string[]): Promise<void> {
    await this.#redis.rpush(listKey, ...texts);
    await this.#redis.ltrim(listKey, -maxListed, -1);
  }
}

/** Takes the oldest refused calls from the list. */
export async function takeRefusedCalls(redis: Redis, maxCalls: number): Promise<readonly WaitingRefusal[]> {
  const texts = await redis.lpop(listKey, maxCalls);
  return (texts ?? []).flatMap((text) => {
    try {
      return [readWaiting(text)];
    } catch {
      return []; // written by another version
    }
  });
}
