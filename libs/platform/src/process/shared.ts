import type { Logger } from "../log.ts";
import type { AnnouncedProcess } from "./presence.ts";

/**
 * Parts that the services of one process share, for example connections. They are closed after the last service, in
 * reverse order.
 */
export class SharedParts implements AsyncDisposable {
  readonly log: Logger;
  readonly announced: AnnouncedProcess | undefined;
  readonly #open = new AsyncDisposableStack();

  constructor(log: Logger, announced?: AnnouncedProcess) {
    this.log = log;
    this.announced = announced;
  }

  /** Registers a part for disposal at the end of the process. */
  use<Part extends AsyncDisposable | Disposable>(part: Part): Part {
    return this.#open.use(part);
  }

  /** Registers a function that is called at the end of the process. */
  defer(close: () => void | Promise<void>): void {
    this.#open.defer(close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }
}

/** Opens a part at its first call, and returns the same part later. */
export type SharedPart<Settings, Part> = (shared: SharedParts, settings: Settings) => Promise<Part>;

/**
 * Declares a part that the services of a process share. `open` must register the part's disposal. It gets the settings
 * of the first caller, because all services of a process have the same environment.
 */
export function sharedPart<Settings, Part>(open: SharedPart<Settings, Part>): SharedPart<Settings, Part> {
  const parts = new WeakMap<SharedParts, Promise<Part>>();
  return (shared, settings) => {
    const existing = parts.get(shared);
    if (existing !== undefined) return existing;
    const opening = open(shared, settings);
    parts.set(shared, opening);
    return opening;
  };
}
