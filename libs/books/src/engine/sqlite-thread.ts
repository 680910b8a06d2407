import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";

/** Data that the thread starts with. */
export interface OpenedFile {
  readonly file: string;
}

/** Request to the thread; it handles one at a time. */
export type ThreadRequest = "open" | "close" | { readonly text: string; readonly parameters: SQLInputValue[] };

/** Result of a request: rows and the number of changed rows, or SQLite's error. */
export type Reply =
  | { readonly rows: readonly unknown[]; readonly changes?: bigint }
  | {
      readonly failed: {
        readonly message: string;
        readonly code: string | undefined;
        readonly errcode: number | undefined;
      };
    };

/** Memory limit of the thread, in addition to SQLite's: for the parameters of a statement, and its rows. */
const memory = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/**
 * A SQLite file that is opened in a worker thread. A commit waits for the disk, and a report may read a million rows;
 * the thread keeps both from blocking services in the same process.
 */
export class SqliteThread {
  readonly #worker: Worker;
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  #ended: Error | undefined;

  private constructor(file: string) {
    const workerData: OpenedFile = { file };
    const entry = new URL("sqlite-worker.ts", import.meta.url);
    this.#worker = new Worker(entry, { workerData, resourceLimits: memory });
    this.#worker
      .on("message", (reply: Reply) => this.#answer(reply))
      .on("error", (error: Error) => this.#end(error))
      .on("exit", () => this.#end(new Error("the thread of the books has ended")));
  }

  /** Opens a file, and creates it if it is missing. Rejects with SQLite's error. */
  static async open(file: string): Promise<SqliteThread> {
    const thread = new SqliteThread(file);
    try {
      await thread.#ask("open");
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  /** Runs one statement; the previous one must have completed. Rejects with SQLite's error. */
  async run(text: string, parameters: SQLInputValue[]): Promise<Extract<Reply, { rows: unknown }>> {
    const reply = await this.#ask({ text, parameters });
    if ("failed" in reply) throw new Error("unreachable: a failed statement rejects");
    return reply;
  }

  /** Closes the file, and ends the thread. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    await this.#ask("close");
    await this.#worker.terminate();
  }

  #ask(request: ThreadRequest): Promise<Reply> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#waiting !== undefined) return Promise.reject(new Error("a statement is running already"));
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      // The rule is about windows; a thread's port has exactly one other end.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage(request);
    });
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref(); // the thread does not keep the process running
    if (!("failed" in reply)) return waiting?.resolve(reply);
    const { message, code, errcode } = reply.failed;
    waiting?.reject(Object.assign(new Error(message), { code, errcode }));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }
}
