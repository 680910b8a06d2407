import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startPostgres as startServer } from "@modelgate/deploy/local";
import { GenericContainer, Wait } from "testcontainers";
import { canUseImage, labelContainer } from "./containers.ts";
import { markerOf, serverFolderPrefixOf, workerPrefixOf } from "./run-names.ts";
import { controlServer, type ServerControl } from "./server-control.ts";

const image = "postgres:15-alpine";
/** Time in ms for which a failed start is retried after a kill. */
const maxStartMs = 10_000;
const [user, password, database] = ["modelgate", "modelgate", "modelgate"];

export interface PostgresBackend extends AsyncDisposable {
  readonly url: string;
}

/** PostgreSQL server on this machine that a test can pause, kill and start again. */
export interface LocalPostgres extends PostgresBackend {
  readonly server: ServerControl;
}

/**
 * Starts PostgreSQL: in a container if a Docker engine has the image, otherwise on this machine.
 * MODELGATE_TEST_BACKENDS=docker|local selects one.
 */
export async function startPostgres(): Promise<PostgresBackend> {
  return (await usesContainers()) ? startContainer() : startLocalPostgres();
}

let shared: Promise<Pick<PostgresBackend, "url">> | undefined;

/**
 * Returns a server that the test files of this worker share, each with its own databases. It stays until the run ends.
 */
export async function sharePostgres(): Promise<Pick<PostgresBackend, "url">> {
  try {
    return await (shared ??= startShared());
  } catch (error) {
    shared = undefined; // the next file tries again
    throw error;
  }
}

async function startShared(): Promise<PostgresBackend> {
  if (!(await usesContainers())) return startLocalPostgres(serverFolderPrefixOf(process.ppid));
  writeFileSync(markerOf(process.ppid), "");
  return startContainer(`${workerPrefixOf(process.ppid)}${process.env["VITEST_POOL_ID"]} postgres`);
}

async function usesContainers(): Promise<boolean> {
  const selected = process.env["MODELGATE_TEST_BACKENDS"];
  return selected !== "local" && (selected === "docker" || (await canUseImage(image)));
}

async function startContainer(reusedBy?: string): Promise<PostgresBackend> {
  const container = await labelContainer(new GenericContainer(image), reusedBy)
    .withEnvironment({ POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database })
    .withExposedPorts(5432)
    // The server starts twice: the first time only to create the database.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://${user}:${password}@${container.getHost()}:${container.getMappedPort(5432)}/${database}`,
    async [Symbol.asyncDispose]() {
      await container.stop();
    },
  };
}

/** Starts a server on this machine, for tests that stop it. */
export async function startLocalPostgres(folderPrefix = "modelgate-postgres-"): Promise<LocalPostgres> {
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  chmodSync(folder, 0o711); // as root, the server runs as another user
  const [port = 0] = await freePorts(1);
  let url = "";
  const server = await controlServer(async () => {
    for (const end = Date.now() + maxStartMs; ;)
      try {
        const started = await startServer({ port, folder: join(folder, "server"), keep: false });
        ({ url } = started);
        return started;
      } catch (error) {
        // The child processes of a killed server may still use its files.
        if (Date.now() > end) throw error;
      }
  });
  return {
    url,
    server,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
