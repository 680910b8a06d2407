import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";

/** Data with which the thread is started. */
export interface OpenedFile {
  readonly file: string;
}

export type ThreadRequest = "open" | "close" | { readonly text: string; readonly parameters: SQLInputValue[] };

/** Reply of the thread: the result of a statement, or SQLite's error. */
export type ThreadReply =
  | { readonly rows: readonly unknown[]; readonly changes?: bigint }
  | {
      readonly failed: {
        readonly message: string;
        readonly code: string | undefined;
        readonly errcode: number | undefined;
      };
    };

/** Memory limit of the thread's JavaScript. SQLite's memory is not included. */
const memoryLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };

/** Runs statements on a SQLite file in a worker thread, because commits and long queries would block the process. */
export class SqliteThread {
  readonly #worker: Worker;
  #waiting: { resolve(reply: ThreadReply): void; reject(error: Error): void } | undefined;
  #ended: Error | undefined;

  private constructor(file: string) {
    const workerData: OpenedFile = { file };
    const entry = new URL("sqlite-worker.ts", import.meta.url);
    this.#worker = new Worker(entry, { workerData, resourceLimits: memoryLimits });
    this.#worker
      .on("message", (reply: ThreadReply) => this.#answer(reply))
      .on("error", (error: Error) => this.#end(error))
      .on("exit", () => this.#end(new Error("the thread of the books has ended")));
  }

  /** Opens or creates a file. Rejects with SQLite's error. */
  static async open(file: string): Promise<SqliteThread> {
    const thread = new SqliteThread(file);
    try {
      await thread.#request("open");
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  /** True if the thread runs no more statements, for example because it had no memory left. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Runs one statement. Rejects with SQLite's error, or if a statement is already running. */
  async run(text: string, parameters: SQLInputValue[]): Promise<Extract<ThreadReply, { rows: unknown }>> {
    const reply = await this.#request({ text, parameters });
    if ("failed" in reply) throw new Error("unreachable: a failed statement rejects");
    return reply;
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    await this.#request("close");
    await this.#worker.terminate();
  }

  #request(request: ThreadRequest): Promise<ThreadReply> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#waiting !== undefined) return Promise.reject(new Error("a statement is running already"));
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      // The rule is about windows; a thread's port has exactly one receiver.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage(request);
    });
  }

  #answer(reply: ThreadReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref(); // an idle thread must not keep the process running
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
