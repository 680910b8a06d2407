import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import type { Backends } from "./backends.ts";
import { controlServer, type ServerControl } from "./server-control.ts";

const nodeCount = 3;

export interface NatsClusterBackends extends Backends {
  readonly nodes: readonly ServerControl[];
}

/** Starts a Redis server, and a JetStream cluster of three NATS servers, on this machine. */
export async function startNatsCluster(): Promise<NatsClusterBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-nats-cluster-"));
  const [redisPort = 0, ...natsPorts] = await freePorts(1 + nodeCount * 2);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const redis = await startRedis({ port: redisPort, folder: join(folder, "redis"), keep: false });
  starting.defer(() => redis.child.stop());
  const ports = natsPorts.slice(0, nodeCount);
  const routes = natsPorts.slice(nodeCount).map((port) => `nats://127.0.0.1:${port}`);
  const nodes = await Promise.all(
    ports.map(async (port, at) => {
      const node = await controlServer(() =>
        startNats({
          port,
          folder: join(folder, `nats-${at}`),
          keep: true,
          more: [
            "--server_name",
            `nats-${at}`,
            "--cluster_name",
            "modelgate",
            "--cluster",
            routes[at] ?? "",
            "--routes",
            routes.filter((_, other) => other !== at).join(","),
          ],
        }),
      );
      starting.defer(() => node.stop());
      return node;
    }),
  );
  const started = starting.move();
  return {
    redisUrl: redis.url,
    natsUrl: ports.map((port) => `nats://127.0.0.1:${port}`).join(","),
    how: "local servers",
    nodes,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
