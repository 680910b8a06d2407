import { countOpenHolds, outboxLength, shards } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readRedisMemory, type Bus, type OperatorRoutes, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { streamConsumers } from "../record-events.ts";

/** Dependencies of the check of the stores. */
export interface StoreDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: BooksConnection;
}

/**
 * Routes that report the state of the stores: each store is checked when the request comes, and reported if it does not
 * answer.
 */
export function storeRoutes({ redis, bus, connection }: StoreDeps): OperatorRoutes {
  const inShards = async (count: (store: Redis, shard: string) => Promise<number>): Promise<number> => {
    const parts = await Promise.all(shards.map((shard) => count(redis, shard)));
    return parts.reduce((sum, part) => sum + part, 0);
  };
  return {
    "GET /stores": async () => {
      const [memory, holds, outbox, streams, books] = await Promise.all([
        checked(() => readRedisMemory(redis)),
        checked(() => inShards(countOpenHolds)),
        checked(() => inShards(outboxLength)),
        checked(() => lagOf(bus)),
        checked(() => connection.use(async ({ engine }) => engine)),
      ]);
      return {
        redis: { ...wordOf(memory), nodes: memory.found ?? [] },
        nats: wordOf(bus.connected ? streams : { message: "NATS is away, or has no streams." }),
        books: { ...wordOf(books), engine: books.found ?? null },
        streams: streams.found ?? [],
        openHolds: holds.found ?? null,
        outboxEvents: outbox.found ?? null,
      };
    },
  };
}

interface Checked<Found> {
  readonly found?: Found;
  readonly message?: string;
}

async function checked<Found>(ask: () => Promise<Found>): Promise<Checked<Found>> {
  try {
    return { found: await ask() };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

function wordOf({ message }: Checked<unknown>): { readonly ok: boolean; readonly message: string | null } {
  return { ok: message === undefined, message: message ?? null };
}

/** Returns the lag of the books behind each event stream. */
function lagOf(bus: Bus) {
  return Promise.all(
    Object.values(eventStreams).map(async ({ name: stream }) => {
      const progress = await bus.progress(stream, streamConsumers[stream]);
      return {
        stream,
        isThere: progress !== undefined,
        waiting: progress?.waiting ?? 0,
        oldestMs: Math.round((await progress?.age()) ?? 0),
      };
    }),
  );
}
