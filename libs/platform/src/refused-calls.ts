import { Type, type Static } from "typebox";
import { makeRefusedCall, RefusedCall, recordParser, withoutUndefined, type Failure } from "@modelgate/contracts";
import type { Redis } from "./redis.ts";
import { idSource } from "./tracing.ts";

/** Redis list of refused calls that no ledger has recorded yet. */
const listKey = "refused-calls";
/** Maximum length of the list. The oldest calls are dropped. */
const maxListed = 10_000;
/**
 * Interval in ms in which calls are collected, and their maximum number per interval: of all accounts, and of one
 * account.
 */
const [gatherMs, maxCallsPerInterval, maxPerAccount] = [500, 1_000, 20];

/**
 * A refused call that waits for the ledger. `calls` includes later calls of its account that were only counted.
 * `budget` is the id of the budget that did not cover the call.
 */
const WaitingRefusal = Type.Object({
  call: RefusedCall,
  calls: Type.Integer({ minimum: 1 }),
  budget: Type.Optional(Type.String()),
});
export type WaitingRefusal = Static<typeof WaitingRefusal>;

const readWaiting = recordParser("refused call", WaitingRefusal);

export type RefusedRequest = Omit<Parameters<typeof makeRefusedCall>[0], "id">;

/**
 * Publishes refused calls for the ledger. No call waits for this. A publication that fails is lost, because no money is
 * involved.
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

  /**
   * Adds a call to the next publication. If too many calls of its account wait, only counts it. If too many calls of
   * all accounts wait, drops it.
   */
  add(request: RefusedRequest, failure: Failure): void {
    const ofAccount = this.#waiting.get(request.accountId) ?? [];
    const last = ofAccount.at(-1);
    if (last !== undefined && ofAccount.length >= maxPerAccount) return void last.calls++;
    if (this.#gathered >= maxCallsPerInterval) return;
    const call = makeRefusedCall({ ...request, id: this.#newId() }, failure);
    ofAccount.push(withoutUndefined({ call, calls: 1, budget: failure.budget }));
    this.#waiting.set(request.accountId, ofAccount);
    this.#gathered++;
    this.#timer ??= setTimeout(() => this.#publish(), gatherMs).unref();
  }

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

/** Removes the oldest refused calls from the list and returns them. */
export async function takeRefusedCalls(redis: Redis, maxCalls: number): Promise<readonly WaitingRefusal[]> {
  const texts = await redis.lpop(listKey, maxCalls);
  return (texts ?? []).flatMap((text) => {
    try {
      return [readWaiting(text)];
    } catch {
      return []; // written by another version in an unknown format
    }
  });
}
