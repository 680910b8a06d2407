import { countOpenHolds, outboxLength, shards } from "@modelgate/accounts";
import { eventStreams } from "@modelgate/contracts";
import { readRedisMemory, type Bus, type OperatorRoutes, type Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { streamConsumers } from "../record-events.ts";

/** Dependencies of the store routes. */
export interface StoreDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: BooksConnection;
}

/** Routes that check the stores. Stores that do not answer are reported too. */
export function storeRoutes({ redis, bus, connection }: StoreDeps): OperatorRoutes {
  const sumOfShards = async (count: (store: Redis, shard: string) => Promise<number>): Promise<number> => {
    const parts = await Promise.all(shards.map((shard) => count(redis, shard)));
    return parts.reduce((sum, part) => sum + part, 0);
  };
  return {
    "GET /stores": async () => {
      const [memory, holds, outbox, streams, books] = await Promise.all([
        checkStore(() => readRedisMemory(redis)),
        checkStore(() => sumOfShards(countOpenHolds)),
        checkStore(() => sumOfShards(outboxLength)),
        checkStore(() => readStreamLags(bus)),
        checkStore(() => connection.use(async ({ engine }) => engine)),
      ]);
      return {
        redis: { ...statusOf(memory), nodes: memory.found ?? [] },
        nats: statusOf(bus.connected ? streams : { message: "NATS is unavailable or has no streams." }),
        books: { ...statusOf(books), engine: books.found ?? null },
        streams: streams.found ?? [],
        openHolds: holds.found ?? null,
        outboxEvents: outbox.found ?? null,
      };
    },
  };
}

interface CheckResult<Found> {
  readonly found?: Found;
  readonly message?: string;
}

async function checkStore<Found>(ask: () => Promise<Found>): Promise<CheckResult<Found>> {
  try {
    return { found: await ask() };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

function statusOf({ message }: CheckResult<unknown>): { readonly ok: boolean; readonly message: string | null } {
  return { ok: message === undefined, message: message ?? null };
}

/** Returns, for each event stream, the number and age of the events that are not in the books yet. */
function readStreamLags(bus: Bus) {
  return Promise.all(
    Object.values(eventStreams).map(async ({ name: stream }) => {
      const progress = await bus.readProgress(stream, streamConsumers[stream]);
      return {
        stream,
        isThere: progress !== undefined,
        waiting: progress?.waiting ?? 0,
        oldestMs: Math.round((await progress?.readOldestAgeMs()) ?? 0),
      };
    }),
  );
}
