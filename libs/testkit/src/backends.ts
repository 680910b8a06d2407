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

/** A Redis of this machine by itself, for tests that take it down. */
export interface LocalRedis extends ServerControl, AsyncDisposable {
  readonly url: string;
}

/** Starts a Redis of this machine by itself. */
export async function startLocalRedis(): Promise<LocalRedis> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [port = 0] = await freePorts(1);
  const redis = await control(() => startRedis({ port, folder, keep: true }));
  return {
    ...redis,
    url: `redis://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Servers of this machine, for tests that take them down. */
export async function startLocalBackends(): Promise<LocalBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [port = 0] = await freePorts(1);
  const redis = await startLocalRedis();
  const nats = await control(() => startNats({ port, folder, keep: true }));
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
