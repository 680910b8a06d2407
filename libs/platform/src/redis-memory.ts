import { Cluster } from "ioredis";
import type { Redis } from "./redis.ts";

/** Memory of one Redis server that accepts writes. */
export interface RedisMemory {
  /** Address as `host:port`. */
  readonly node: string;
  readonly usedBytes: number;
  /** The server's `maxmemory`, or the memory of its machine. */
  readonly limitBytes: number;
}

/** Reads the memory of each primary of a Cluster, or of the only server. */
export async function readRedisMemory(redis: Redis): Promise<readonly RedisMemory[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  return Promise.all(
    nodes.map(async (node) => {
      const info = await node.info("memory");
      const limit = numberIn(info, "maxmemory");
      return {
        node: `${node.options.host ?? ""}:${node.options.port ?? ""}`,
        usedBytes: numberIn(info, "used_memory"),
        limitBytes: limit > 0 ? limit : numberIn(info, "total_system_memory"),
      };
    }),
  );
}

function numberIn(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, "m").exec(info)?.[1] ?? "0");
}
