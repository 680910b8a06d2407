import { readMark, setMarkOnce } from "@modelgate/books";
import type { Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { usageDayOfKey, moveDay, dayKeyGlob, type UsageDay } from "./usage-day.ts";

/** Dependencies of the move of usage into the books. */
export interface MoveOptions {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly log: Logger;
}

const keysAtOnce = 1_000;
const retryMs = 2_000;
/** Mark of books into which all usage was moved. */
const movedMark = "usage-moved";

/**
 * Moves usage from Redis into the books, in the background. Versions without books stored usage in Redis. Meanwhile,
 * reads of usage are refused with `retry-after`. After a start that finds no usage in Redis, Redis is not searched again.
 */
export function startMovingUsage(options: MoveOptions): AsyncDisposable {
  const { connection, log } = options;
  const state = { isStopped: false };
  const sleep = Promise.withResolvers<void>();
  connection.setMoving(true);

  async function moveAll(): Promise<void> {
    while (!state.isStopped) {
      try {
        if ((await connection.useDuringMove((books) => readMark(books, movedMark))) !== undefined) return;
        const moved = await moveOnce(options, state);
        if (moved === 0 && !state.isStopped)
          await connection.useDuringMove((books) => setMarkOnce(books, movedMark, new Date().toISOString()));
        if (moved > 0) log.info({ days: moved }, "usage was moved from Redis into the books");
        return;
      } catch (error) {
        log.warn({ err: error }, "moving usage from Redis into the books failed; trying again");
        await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, retryMs))]);
      }
    }
  }

  const running = moveAll().finally(() => connection.setMoving(false));
  return {
    async [Symbol.asyncDispose]() {
      state.isStopped = true;
      sleep.resolve();
      await running;
    },
  };
}

/** Moves all days that Redis has. Returns their number. */
async function moveOnce({ redis, connection }: MoveOptions, state: { readonly isStopped: boolean }): Promise<number> {
  let moved = 0;
  for (const day of await findDays(redis)) {
    if (state.isStopped) return moved;
    await connection.useDuringMove((books) => moveDay(redis, books, day));
    moved++;
  }
  return moved;
}

/** Returns the days for which Redis has usage. */
async function findDays(redis: Redis): Promise<readonly UsageDay[]> {
  const days = new Map<string, UsageDay>();
  for (const node of "nodes" in redis ? redis.nodes("master") : [redis])
    for (let cursor = "0"; ;) {
      const [next, names] = await node.scan(cursor, "MATCH", dayKeyGlob, "COUNT", keysAtOnce);
      for (const name of names) {
        const day = usageDayOfKey(name);
        if (day !== undefined) days.set(`${day.account}:${day.date}`, day);
      }
      if (next === "0") break;
      cursor = next;
    }
  return [...days.values()];
}
