/** A call that waits for its result. */
interface Waiting {
  readonly id: string;
  readonly name: string;
}

/** Pairs results with calls: by id, else by the tool's name, else in their order. */
export class WaitingCalls {
  readonly #waiting: Waiting[] = [];

  called(id: string, name: string): void {
    this.#waiting.push({ id, name });
  }

  /** Takes the call that a result answers; undefined where none of that id or name waits. */
  answered(id: string | undefined, name: string | undefined): Waiting | undefined {
    const at = this.#waiting.findIndex((call) =>
      id === undefined ? name === undefined || call.name === name : call.id === id,
    );
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}
