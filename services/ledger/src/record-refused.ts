import { recordRefused } from "@modelgate/books";
import { readServerState, takeRefusedCalls, type Logger, type Redis, type WaitingRefusal } from "@modelgate/platform";
import type { BooksConnection } from "./books-connection.ts";
import { repeatPeriodically } from "./watch/every.ts";

/** Pause, in ms, between two polls for refused calls. */
const readIntervalMs = 1_000;
/** Maximum refused calls per read. */
const maxAtOnce = 1_000;

/** Dependencies of the recording of refused calls. */
interface RecordingDeps {
  readonly redis: Redis;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  /** Called with refused calls that were recorded. */
  onRefused(refusals: readonly WaitingRefusal[]): void;
}

/**
 * Moves refused calls from Redis to the books, until disposed. While the books are unavailable, the calls stay in
 * Redis, up to the length limit of their list. Calls that were read and then could not be written are lost; they cost
 * no money.
 */
export function startRecordingRefused({ redis, connection, log, onRefused }: RecordingDeps): AsyncDisposable {
  /**
   * Write position of the Redis servers at the last poll that found no call. While it is unchanged, polls are left out.
   */
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
