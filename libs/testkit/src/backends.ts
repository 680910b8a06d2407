import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import { dockerAnswers, startContainers, type Backends } from "./containers.ts";
import { control, type ServerControl } from "./server-control.ts";

export type { Backends };

/** Backends of this machine, whose servers a test can stop, pause, kill and start again. */
export interface LocalBackends extends Backends {
  readonly redis: ServerControl;
  readonly nats: ServerControl;
}

/**
 * Containers by testcontainers where a Docker engine answers and has the images, servers of this machine otherwise;
 * MODELGATE_TEST_BACKENDS=docker|local decides. Prints which.
 */
export async function startBackends(): Promise<Backends> {
  const wish = process.env["MODELGATE_TEST_BACKENDS"];
  const containers = wish === "docker" || (wish !== "local" && (await dockerAnswers()));
  const backends = containers ? await startContainers() : await startLocalBackends();
  process.stdout.write(`redis and nats: ${backends.how}\n`);
  return backends;
}

/** Servers of this machine, for tests that take them down. */
export async function startLocalBackends(): Promise<LocalBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [redisPort = 0, natsPort = 0] = await freePorts(2);
  const redis = await control(() => startRedis({ port: redisPort, folder: join(folder, "redis"), keep: true }));
  const nats = await control(() => startNats({ port: natsPort, folder: join(folder, "nats"), keep: true }));
  return {
    redisUrl: `redis://127.0.0.1:${redisPort}`,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    how: "local servers",
    redis,
    nats,
    async [Symbol.asyncDispose]() {
      await Promise.all([redis.stop(), nats.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
