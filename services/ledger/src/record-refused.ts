import { recordRefused } from "@modelgate/books";
import { takeRefusedCalls, type Logger, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { repeat } from "./watch/every.ts";

/** Pause between two looks for refused calls. */
const everyMs = 1_000;
/** Maximum number of calls that are taken at once. */
const maxAtOnce = 1_000;

/** Dependencies of the recording of refused calls. */
interface RecordingDeps {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "fill">;
  readonly log: Logger;
}

/**
 * Takes refused calls from Redis and writes them into the books, until disposed. While the books are away they stay in Redis,
 * as far as its list goes; what was taken and cannot be written is lost: no money is in it.
 */
export function startRecordingRefused({ redis, connection, log }: RecordingDeps): AsyncDisposable {
  return repeat({
    name: "the recording of refused calls",
    everyMs,
    log,
    level: "warn",
    step: (signal) =>
      connection.fill(async (books) => {
        for (let taken = maxAtOnce; taken === maxAtOnce && !signal.aborted;) {
          const refusals = await takeRefusedCalls(redis, maxAtOnce);
          await recordRefused(books, refusals);
          taken = refusals.length;
        }
      }),
  });
}
