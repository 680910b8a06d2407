import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import type { Backends } from "./backends.ts";
import { redisCommand } from "./redis-command.ts";
import { until } from "./until.ts";

const slotCount = 16_384;
const nodeCount = 3;

/**
 * True if a cluster can be started. Its nodes connect at their announced addresses, which does not work for containers.
 */
export const canStartCluster = ["MODELGATE_REDIS_SERVER", "MODELGATE_NATS_SERVER"].every(
  (name) => process.env[name]?.startsWith("docker:") !== true,
);
if (!canStartCluster) process.stdout.write("skipped: tests of several servers that connect to each other\n");

/** Starts a Redis Cluster of three nodes and a NATS server on this machine. */
export async function startClusterBackends(): Promise<Backends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-cluster-"));
  const [natsPort = 0, ...redisPorts] = await freePorts(1 + nodeCount * 2);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const nats = await startNats({ port: natsPort, folder: join(folder, "nats"), keep: false });
  starting.defer(() => nats.child.stop());
  const ports = redisPorts.slice(0, nodeCount);
  await Promise.all(
    ports.map(async (port, at) => {
      const clusterPort = redisPorts[nodeCount + at] ?? 0;
      const redis = await startRedis({ port, clusterPort, folder: join(folder, `redis-${at}`), keep: false });
      starting.defer(() => redis.child.stop());
    }),
  );
  await joinNodes(ports, redisPorts.slice(nodeCount));
  const started = starting.move();
  return {
    redisUrl: ports.map((port) => `redis://127.0.0.1:${port}`).join(","),
    natsUrl: nats.url,
    how: "local servers",
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Assigns a third of the slots to each node, connects the nodes, and waits until all agree. */
async function joinNodes(ports: readonly number[], clusterPorts: readonly number[]): Promise<void> {
  for (const [at, port] of ports.entries()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * slotCount) / nodeCount));
    await redisCommand(port, `CLUSTER ADDSLOTSRANGE ${from ?? 0} ${(to ?? 0) - 1}`);
    // Two nodes with the same epoch would conflict.
    await redisCommand(port, `CLUSTER SET-CONFIG-EPOCH ${at + 1}`);
  }
  const [first = 0] = ports;
  for (const [at, port] of ports.entries())
    if (port !== first) await redisCommand(first, `CLUSTER MEET 127.0.0.1 ${port} ${clusterPorts[at] ?? 0}`);
  for (const port of ports)
    await until("the cluster to be complete", async () => {
      const info = await redisCommand(port, "CLUSTER INFO");
      return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${nodeCount}`);
    });
}
