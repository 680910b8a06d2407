import {
  BooksUnavailable,
  isStatementTimeout,
  isUnavailable,
  openBooks,
  type Books,
  type BooksAddress,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { observeStore, type Logger } from "@modelgate/platform";

/** Connection to the books. The ledger also runs while the books are unavailable. */
export interface BooksConnection extends AsyncDisposable {
  /**
   * Runs a step on the books. Throws Failure server_overloaded while they are unavailable or data of older versions is
   * being moved.
   */
  use<T>(step: (books: Books) => Promise<T>): Promise<T>;
  /** Runs a step on the books, also while data of older versions is being moved. */
  useDuringMove<T>(step: (books: Books) => Promise<T>): Promise<T>;
  /** Makes `use` refuse steps while `moving` is true. */
  setMoving(moving: boolean): void;
}

const retryMs = 1_000;

/**
 * Opens the books. Throws StartError if they cannot be used. If the server does not answer, retries in the background.
 */
export async function connectBooks(address: BooksAddress, log: Logger): Promise<BooksConnection> {
  const connection = new Connection(address, log);
  await connection.open();
  return connection;
}

class Connection implements BooksConnection {
  readonly #address: BooksAddress;
  readonly #log: Logger;
  #books: Books | undefined;
  #unavailableSince: Date | undefined;
  #isMoving = false;
  #opening: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(address: BooksAddress, log: Logger) {
    this.#address = address;
    this.#log = log;
    observeStore("books", false); // an alert about the books needs a sample from the start
  }

  async open(): Promise<void> {
    try {
      this.#books = await openBooks(this.#address, this.#log);
      this.#report(undefined);
    } catch (error) {
      if (!(error instanceof BooksUnavailable)) throw error;
      this.#report(error);
      this.#opening = this.#openLater();
    }
  }

  async #openLater(): Promise<void> {
    while (this.#books === undefined && !this.#closed.signal.aborted) {
      await pause(this.#closed.signal);
      try {
        this.#books = await openBooks(this.#address, this.#log);
        this.#report(undefined);
      } catch (error) {
        if (!(error instanceof BooksUnavailable)) this.#log.error({ err: error }, "the books cannot be used");
      }
    }
  }

  setMoving(moving: boolean): void {
    this.#isMoving = moving;
  }

  use<T>(step: (books: Books) => Promise<T>): Promise<T> {
    if (this.#isMoving)
      throw new Failure("server_overloaded", "Usage is still being moved from Redis into the books; try again later.", {
        retryAfterSeconds: 5,
      });
    return this.useDuringMove(step).catch((error: unknown) => {
      if (!isStatementTimeout(error)) throw error;
      throw new Failure(
        "server_overloaded",
        "The books needed too long for this query: choose a shorter period or more filters.",
        { cause: error },
      );
    });
  }

  async useDuringMove<T>(step: (books: Books) => Promise<T>): Promise<T> {
    const books = this.#books;
    if (books === undefined) throw this.#unavailable(undefined);
    const before = this.#unavailableSince;
    try {
      const result = await step(books);
      // A step that began before an outage does not prove that the outage has ended.
      if (this.#unavailableSince === before) this.#report(undefined);
      return result;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#report(error);
      throw this.#unavailable(error);
    }
  }

  #unavailable(cause: unknown): Failure {
    const since = (this.#unavailableSince ?? new Date()).toISOString();
    return new Failure(
      "server_overloaded",
      `The books have not answered since ${since}. Calls continue; their costs are added when the books are available again.`,
      { cause, retryAfterSeconds: 5 },
    );
  }

  #report(error: unknown): void {
    const isUnavailable = error !== undefined;
    observeStore("books", !isUnavailable);
    if (isUnavailable === (this.#unavailableSince !== undefined) && this.#books !== undefined) return;
    if (isUnavailable) this.#log.warn({ err: error }, "the books are unavailable");
    else if (this.#unavailableSince !== undefined) this.#log.info("the books are available again");
    this.#unavailableSince = isUnavailable ? (this.#unavailableSince ?? new Date()) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#opening;
    await this.#books?.[Symbol.asyncDispose]();
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, retryMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
