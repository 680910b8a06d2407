import { createHash } from "node:crypto";

/**
 * An id for a call that has none, made of where it stands: the same whenever the same conversation is read, another
 * for every other path.
 */
export function callId(...path: readonly (string | number)[]): string {
  return `call_${createHash("sha256").update(JSON.stringify(path)).digest("hex").slice(0, 24)}`;
}

/** A call that waits for its result. */
interface Pending {
  readonly id: string;
  readonly name: string;
}

/** Pairs results with calls by id, and by name and order where no call has that id. */
export class CallPairs {
  readonly #names = new Map<string, string>();
  readonly #pending: Pending[] = [];

  called(id: string, name: string): void {
    this.#names.set(id, name);
    this.#pending.push({ id, name });
  }

  /** The id of the call that a result answers; undefined where no such call waits. */
  answered(id: string | undefined, name: string): string | undefined {
    const byId = this.#pending.findIndex((call) => call.id === id);
    const at = byId >= 0 ? byId : this.#pending.findIndex((call) => call.name === name);
    const [call] = at < 0 ? [] : this.#pending.splice(at, 1);
    return call?.id ?? id;
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }
}
