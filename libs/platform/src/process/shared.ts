import type { Logger } from "../log.ts";
import type { ProcessSelf } from "./presence.ts";

/**
 * Parts that the services of one process share: connections to the stores, the catalogue, the state of calls. Each part
 * is opened at its first use, and closed after the last service, in reverse order.
 */
export class Shared implements AsyncDisposable {
  /** The log of the process. */
  readonly log: Logger;
  /** Data of the process's announcements; absent: it makes none. */
  readonly self: ProcessSelf | undefined;
  readonly #open = new AsyncDisposableStack();

  constructor(log: Logger, self?: ProcessSelf) {
    this.log = log;
    this.self = self;
  }

  /** Disposes a part at the end of the process. */
  use<Part extends AsyncDisposable | Disposable>(part: Part): Part {
    return this.#open.use(part);
  }

  /** Runs a step at the end of the process. */
  defer(close: () => void | Promise<void>): void {
    this.#open.defer(close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }
}

/** Declares a part of a process that is opened at its first use. */
export type SharedPart<Settings, Part> = (shared: Shared, settings: Settings) => Promise<Part>;

/**
 * Declares a part that the services of a process share. `open` registers what must be closed with `shared.use` or
 * `shared.defer`; it gets the settings of the first service that uses the part, because all services of a process read
 * the same environment.
 */
export function sharedPart<Settings, Part>(open: SharedPart<Settings, Part>): SharedPart<Settings, Part> {
  const parts = new WeakMap<Shared, Promise<Part>>();
  return (shared, settings) => {
    const known = parts.get(shared);
    if (known !== undefined) return known;
    const opening = open(shared, settings);
    parts.set(shared, opening);
    return opening;
  };
}
