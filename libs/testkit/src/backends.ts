import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import { canStartContainers, startContainers, type Backends } from "./containers.ts";
import { controlServer, type ServerControl } from "./server-control.ts";

export type { Backends };

/** Servers on this machine that a test can stop, pause, kill and start again. */
export interface LocalBackends extends Backends {
  readonly redis: ServerControl;
  readonly nats: ServerControl;
}

/**
 * Starts Redis and NATS: in containers if a Docker engine answers and has the images, otherwise as servers on this
 * machine. MODELGATE_TEST_BACKENDS=docker|local selects one. Prints the choice.
 */
export async function startBackends(): Promise<Backends> {
  const wish = process.env["MODELGATE_TEST_BACKENDS"];
  const containers = wish === "docker" || (wish !== "local" && (await canStartContainers()));
  const backends = containers ? await startContainers() : await startLocalBackends();
  process.stdout.write(`redis and nats: ${backends.how}\n`);
  return backends;
}

/** Redis server on this machine without other backends, for tests that stop it. */
export interface LocalRedis extends ServerControl, AsyncDisposable {
  readonly url: string;
}

/** Starts a Redis server on this machine. */
export async function startLocalRedis(): Promise<LocalRedis> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [port = 0] = await freePorts(1);
  const redis = await controlServer(() => startRedis({ port, folder, keep: true }));
  return {
    ...redis,
    url: `redis://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts servers on this machine, for tests that stop them. */
export async function startLocalBackends(): Promise<LocalBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [port = 0] = await freePorts(1);
  const redis = await startLocalRedis();
  const nats = await controlServer(() => startNats({ port, folder, keep: true }));
  return {
    redisUrl: redis.url,
    natsUrl: `nats://127.0.0.1:${port}`,
    how: "local servers",
    redis,
    nats,
    async [Symbol.asyncDispose]() {
      await Promise.all([redis[Symbol.asyncDispose](), nats.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
