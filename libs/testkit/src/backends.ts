import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import { controlServer, type ServerControl } from "./server-control.ts";

/** Redis and NATS servers (with JetStream) of one test file, empty when the file begins. */
export interface Backends extends AsyncDisposable {
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly how: "containers" | "local servers";
}

/** Servers on this machine that a test can stop, pause, kill and start again. */
export interface LocalBackends extends Backends {
  readonly redis: ServerControl;
  readonly nats: ServerControl;
}

/**
 * Starts Redis and NATS: in containers if a Docker engine has the images, otherwise on this machine.
 * MODELGATE_TEST_BACKENDS=docker|local selects one. A test must not stop them.
 */
export async function startBackends(): Promise<Backends> {
  const selected = process.env["MODELGATE_TEST_BACKENDS"];
  const backends = selected === "local" ? await startLocalBackends() : await startContainersIf(selected === "docker");
  process.stdout.write(`redis and nats: ${backends.how}\n`);
  return backends;
}

/** Starts containers if they are required or possible, otherwise servers on this machine. */
async function startContainersIf(isRequired: boolean): Promise<Backends> {
  // The module takes most of a second to load. Tests without servers do not need it.
  const { canStartContainers, startContainers } = await import("./containers.ts");
  if (!isRequired && !(await canStartContainers())) return startLocalBackends();
  // Outside of test runs nothing would remove shared containers.
  if (process.env["VITEST"] === undefined) return startContainers();
  const { useSharedContainers } = await import("./shared-containers.ts");
  return useSharedContainers();
}

/** Redis server on this machine, for tests that stop it. */
export interface LocalRedis extends ServerControl, AsyncDisposable {
  readonly url: string;
}

/**
 * Arguments of a Redis server that keeps its data for a test. With its default `everysec`, Redis delays writes while
 * the disk is busy, and a kill loses them.
 */
export const noFsync = ["--appendfsync", "no"] as const;

/** Starts a Redis server on this machine. It keeps its data when it is restarted. */
export async function startLocalRedis(): Promise<LocalRedis> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-test-"));
  const [port = 0] = await freePorts(1);
  const redis = await controlServer(() => startRedis({ port, folder, keep: true, more: noFsync }));
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
