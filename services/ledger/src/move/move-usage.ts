import type { Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { dayOf, moveDay, patterns, type UsageDay } from "./usage-day.ts";

/** Dependencies of the move. */
export interface MoveOptions {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly log: Logger;
}

/** Keys per step of the search. */
const keysAtOnce = 1_000;
/** Pause, in ms, before a retry, while Redis or the books are unavailable. */
const retryMs = 2_000;

/**
 * Moves usage that versions before the books kept in Redis into the books and removes it from Redis, at the start and
 * in the background. Readers of usage get `retry-after` meanwhile. Without such data, one scan of the keys is the only
 * cost.
 */
export function startMoving(options: MoveOptions): AsyncDisposable {
  const { connection, log } = options;
  const state = { stopped: false };
  const sleep = Promise.withResolvers<void>();
  connection.setMoving(true);

  async function moveAll(): Promise<void> {
    while (!state.stopped) {
      try {
        const moved = await moveOnce(options, state);
        if (moved > 0) log.info({ days: moved }, "usage was moved from Redis into the books");
        return;
      } catch (error) {
        log.warn({ err: error }, "moving usage from Redis into the books failed; trying again");
        await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, retryMs))]);
      }
    }
  }

  const going = moveAll().finally(() => connection.setMoving(false));
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      sleep.resolve();
      await going;
    },
  };
}

/** Moves every day that it finds; returns their number. Days that two ledgers move at the same time are moved once. */
async function moveOnce({ redis, connection }: MoveOptions, state: { readonly stopped: boolean }): Promise<number> {
  let moved = 0;
  for (const day of await findDays(redis)) {
    if (state.stopped) return moved;
    await connection.fill((books) => moveDay(redis, books, day));
    moved++;
  }
  return moved;
}

/** Returns the days of accounts in Redis, without duplicates. */
async function findDays(redis: Redis): Promise<readonly UsageDay[]> {
  const days = new Map<string, UsageDay>();
  for (const node of "nodes" in redis ? redis.nodes("master") : [redis])
    for (const pattern of patterns)
      for (let cursor = "0"; ;) {
        const [next, names] = await node.scan(cursor, "MATCH", pattern, "COUNT", keysAtOnce);
        for (const name of names) {
          const day = dayOf(name);
          if (day !== undefined) days.set(`${day.account}:${day.date}`, day);
        }
        if (next === "0") break;
        cursor = next;
      }
  return [...days.values()];
}
