import type { Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { adoptAccounts } from "./adopt.ts";
import { projectLeftovers } from "./project.ts";

/** Pause between two looks for what was left between the books and Redis. */
const lookMs = 5_000;

/** What the look works with. */
export interface KeepProjectedOptions {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly log: Logger;
}

/** Takes over the accounts of an earlier version, then gives Redis, again and again, what a dead ledger left in the books. */
export function keepProjected({ redis, connection, log }: KeepProjectedOptions): AsyncDisposable {
  const state = { stopped: false, adopted: false };
  const sleep = Promise.withResolvers<void>();

  async function look(): Promise<void> {
    await connection.fill(async (books) => {
      const projecting = { redis, books };
      const adopted = state.adopted ? 0 : await adoptAccounts(projecting);
      state.adopted = true;
      const left = await projectLeftovers(projecting, Date.now());
      if (adopted + left > 0) log.info({ adopted, left }, "accounts were taken over, or given to Redis");
    });
  }

  async function looks(): Promise<void> {
    while (!state.stopped) {
      await look().catch((error: unknown) => log.debug({ err: error }, "accounts are not looked through; trying again"));
      await Promise.race([sleep.promise, new Promise((resolve) => setTimeout(resolve, lookMs).unref())]);
    }
  }

  const going = looks();
  return {
    async [Symbol.asyncDispose]() {
      state.stopped = true;
      sleep.resolve();
      await going;
    },
  };
}
