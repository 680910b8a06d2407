import { Failure } from "@modelgate/contracts";
import type { Holder, Holding } from "@modelgate/platform";
import { renderJson, reparseJson, type JsonLimits } from "@modelgate/relay";
import type { AnsweredResponse } from "../store-answered.ts";
import { parseStored, type ResponseStore, type StoredResponse } from "../stored-response.ts";

/**
 * Maximum bytes of the turns of one connection. A client that continues a removed turn gets the failure
 * previous_response_not_found, and sends the conversation again.
 */
const maxBytes = 16 * 1024 * 1024;

interface ConnectionTurn {
  readonly bytes: Buffer;
  readonly holding: Holding;
}

/** Turns of one connection, which the client can continue there even if they are not stored. */
export class ConnectionTurns implements Disposable {
  readonly #turns = new Map<string, ConnectionTurn>();
  readonly #budget: JsonLimits["budget"];
  readonly #holder: Holder;
  #bytes = 0;
  #storing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ budget }: Pick<JsonLimits, "budget">, holder: Holder) {
    this.#budget = budget;
    this.#holder = holder;
  }

  /** Adds a turn when its answer is complete. The order of the calls is preserved. */
  add(turn: Promise<AnsweredResponse | undefined>): void {
    const before = this.#storing;
    this.#storing = turn.then(async (answered) => {
      await before;
      if (answered !== undefined) await this.#store(answered);
    });
  }

  /** Removes a turn whose continuation failed. The client then sends the conversation again. */
  evict(id: string): void {
    this.#forget(id);
  }

  /** Resolves when all turns that were added so far are stored. */
  async allStored(): Promise<void> {
    await this.#storing;
  }

  /** Returns a store that finds the turns of this connection in addition to those of `store`. */
  layeredOver(store: ResponseStore): ResponseStore {
    const findOwn = async (id: string): Promise<StoredResponse | undefined> => {
      const turn = this.#turns.get(id);
      return turn === undefined ? undefined : parseStored(await reparseJson(turn.bytes));
    };
    return {
      ...store,
      find: async (accountId, id, memory) => (await findOwn(id)) ?? (await store.find(accountId, id, memory)),
      findAll: async (accountId, ids, memory) => {
        const missingIds = ids.filter((id) => !this.#turns.has(id));
        const storedTurns = missingIds.length === 0 ? [] : await store.findAll(accountId, missingIds, memory);
        const byId = new Map(missingIds.map((id, index) => [id, storedTurns[index]]));
        return await Promise.all(ids.map(async (id) => (await findOwn(id)) ?? byId.get(id)));
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const id of this.#turns.keys()) this.#forget(id);
  }

  async #store({ id, stored }: AnsweredResponse): Promise<void> {
    const bytes = await renderJson(stored, Infinity);
    if (bytes.length > maxBytes || this.#isClosed) return;
    const holding = this.#budget.openHolding(this.#holder);
    try {
      holding.add(bytes.length);
    } catch (error) {
      holding[Symbol.dispose]();
      if (error instanceof Failure) return; // the memory limit is reached; the client can send the turn again
      throw error;
    }
    this.#turns.set(id, { bytes, holding });
    this.#bytes += bytes.length;
    for (const oldest of this.#turns.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    this.#turns.delete(id);
    this.#bytes -= turn.bytes.length;
    turn.holding[Symbol.dispose]();
  }
}
