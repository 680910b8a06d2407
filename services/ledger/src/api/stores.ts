import { openHolds, outboxLength, shards } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readRedisMemory, type Bus, type OperatorRoutes, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { readers } from "../record-events.ts";

/** Dependencies of the check of the stores. */
export interface StoreDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: BooksConnection;
}

/**
 * Makes the routes that report the state of the stores as the ledger sees them: each store is asked when the request
 * comes, and reported if it does not answer.
 */
export function storeRoutes({ redis, bus, connection }: StoreDeps): OperatorRoutes {
  const inShards = async (count: (store: Redis, shard: string) => Promise<number>): Promise<number> => {
    const parts = await Promise.all(shards.map((shard) => count(redis, shard)));
    return parts.reduce((sum, part) => sum + part, 0);
  };
  return {
    "GET /stores": async () => {
      const [memory, holds, outbox, streams, books] = await Promise.all([
        asked(() => readRedisMemory(redis)),
        asked(() => inShards(openHolds)),
        asked(() => inShards(outboxLength)),
        asked(() => lagOf(bus)),
        asked(() => connection.use(async ({ engine }) => engine)),
      ]);
      return {
        redis: { ...wordOf(memory), nodes: memory.found ?? [] },
        nats: wordOf(bus.connected ? streams : { say: "NATS is away, or has no streams." }),
        books: { ...wordOf(books), engine: books.found ?? null },
        streams: streams.found ?? [],
        openHolds: holds.found ?? null,
        outboxEvents: outbox.found ?? null,
      };
    },
  };
}

interface Asked<Found> {
  readonly found?: Found;
  readonly say?: string;
}

async function asked<Found>(ask: () => Promise<Found>): Promise<Asked<Found>> {
  try {
    return { found: await ask() };
  } catch (error) {
    return { say: error instanceof Error ? error.message : String(error) };
  }
}

function wordOf({ say }: Asked<unknown>): { readonly ok: boolean; readonly say: string | null } {
  return { ok: say === undefined, say: say ?? null };
}

/** Returns the delay of the books for each stream of events. */
function lagOf(bus: Bus) {
  return Promise.all(
    Object.values(eventStreams).map(async ({ name: stream }) => {
      const progress = await bus.progress(stream, readers[stream]);
      return {
        stream,
        isThere: progress !== undefined,
        waiting: progress?.waiting ?? 0,
        oldestMs: Math.round((await progress?.age()) ?? 0),
      };
    }),
  );
}
