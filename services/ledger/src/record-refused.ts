import { recordRefused } from "@modelgate/books";
import { readServerState, takeRefusedCalls, type Logger, type Redis, type WaitingRefusal } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { repeatPeriodically } from "./watch/every.ts";

const readIntervalMs = 1_000;
const maxAtOnce = 1_000;

/** Dependencies for recording refused calls. */
interface RecordingDeps {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  /** Called with recorded calls. */
  onRefused(refusals: readonly WaitingRefusal[]): void;
}

/**
 * Moves refused calls from Redis to the books. While the books are unavailable, the calls stay in Redis. A failed write
 * loses refused calls, but no money.
 */
export function startRecordingRefused({ redis, connection, log, onRefused }: RecordingDeps): AsyncDisposable {
  /** `writes` of Redis (`readServerState`) at the last poll without calls. While it is unchanged, polls are skipped. */
  let emptyAt: string | undefined;
  return repeatPeriodically({
    name: "the recording of refused calls",
    everyMs: readIntervalMs,
    log,
    level: "warn",
    step: async (signal) => {
      const { writes } = await readServerState(redis);
      if (writes !== undefined && writes === emptyAt) return;
      await connection.useDuringMove(async (books) => {
        for (let batchSize = maxAtOnce; batchSize === maxAtOnce && !signal.aborted;) {
          const refusals = await takeRefusedCalls(redis, maxAtOnce);
          await recordRefused(books, refusals);
          onRefused(refusals);
          batchSize = refusals.length;
          emptyAt = batchSize === 0 ? writes : undefined;
        }
      });
    },
  });
}
