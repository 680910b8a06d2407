import { recordRefused } from "@modelgate/books";
import { takeRefusedCalls, untilBeat, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";

/** Pause between two looks for refused calls. */
const everyMs = 1_000;
/** Maximum of calls that are taken at once. */
const maxAtOnce = 1_000;

/**
 * Takes refused calls from Redis and writes them into the books, until disposed. While the books are away they stay in Redis,
 * as far as its list goes; what was taken and cannot be written is lost: no money is in it.
 */
export function startRecordingRefused({
  redis,
  connection,
  log,
}: {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "fill">;
  readonly log: Logger;
}): AsyncDisposable {
  const stop = Promise.withResolvers<void>();
  const state = { stopped: false, complained: false };

  async function take(): Promise<void> {
    try {
      await connection.fill(async (books) => {
        for (let taken = maxAtOnce; taken === maxAtOnce && !state.stopped;) {
          const refusals = await takeRefusedCalls(redis, maxAtOnce);
          await recordRefused(books, refusals);
          taken = refusals.length;
        }
      });
      state.complained = false;
    } catch (error) {
      if (!state.complained && !state.stopped) log.warn({ err: error }, "refused calls are not recorded; trying again");
      state.complained = true;
    }
  }

  async function takeAll(): Promise<void> {
    while (!state.stopped) {
      await take();
      await Promise.race([stop.promise, new Promise((resolve) => setTimeout(resolve, untilBeat(everyMs)).unref())]);
    }
  }

  const going = takeAll();
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      stop.resolve();
      await going;
    },
  };
}
