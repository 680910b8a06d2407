import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startRedis } from "@modelgate/deploy/local";
import { noFsync } from "./backends.ts";
import { redisCommand } from "./redis-command.ts";
import { until } from "./until.ts";

/** Redis server that replicates another one until it is promoted. */
export interface ReplicaServer extends AsyncDisposable {
  readonly port: number;
  /** Stops the replication; the data stays. */
  promote(): Promise<void>;
}

/** Starts a Redis server on this machine that replicates the one at a port, and waits until it has all data. */
export async function startReplica(primaryPort: number): Promise<ReplicaServer> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-replica-"));
  const [port = 0] = await freePorts(1);
  const replicaArguments = [...noFsync, "--repl-diskless-sync-delay", "0", "--replicaof", `127.0.0.1 ${primaryPort}`];
  const server = await startRedis({ port, folder, keep: true, more: replicaArguments });
  await until("the replica to follow", async () => isLinked(await redisCommand(port, "INFO replication")));
  return {
    port,
    promote: async () => void (await redisCommand(port, "REPLICAOF NO ONE")),
    async [Symbol.asyncDispose]() {
      await server.child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Moves all data from one Redis server to another: the second replicates the first, the first refuses writes, and the
 * second is promoted.
 */
export async function moveRedisData(from: number, to: number): Promise<void> {
  await redisCommand(to, `REPLICAOF 127.0.0.1 ${from}`);
  await until("the second server to follow the first", async () =>
    isLinked(await redisCommand(to, "INFO replication")),
  );
  await redisCommand(from, "CLIENT PAUSE 10000 WRITE");
  const offset = async (port: number, name: string): Promise<string | undefined> =>
    new RegExp(`${name}:(\\d+)`).exec(await redisCommand(port, "INFO replication"))?.[1];
  await until(
    "the second server to have all data",
    async () => (await offset(from, "master_repl_offset")) === (await offset(to, "slave_repl_offset")),
  );
  await redisCommand(to, "REPLICAOF NO ONE");
}

function isLinked(replication: string): boolean {
  return replication.includes("master_link_status:up");
}
