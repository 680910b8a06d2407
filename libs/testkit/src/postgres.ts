import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startPostgres as startServer } from "@modelgate/deploy/local";
import { GenericContainer, Wait } from "testcontainers";
import { imageAnswers, testLabels } from "./containers.ts";
import { control, type ServerControl } from "./server-control.ts";

const image = "postgres:15-alpine";
/** How long a start is tried again after a kill. */
const takesOverWithinMs = 10_000;
const [user, password, database] = ["modelgate", "modelgate", "modelgate"];

/** A real PostgreSQL, for one test file alone. */
export interface PostgresBackend extends AsyncDisposable {
  readonly url: string;
}

/** A PostgreSQL of this machine, which a test can pause, kill and start again. */
export interface LocalPostgres extends PostgresBackend {
  readonly server: ServerControl;
}

/**
 * A PostgreSQL by testcontainers where a Docker engine answers and has the image, a server of this machine otherwise;
 * MODELGATE_TEST_BACKENDS=docker|local decides.
 */
export async function startPostgres(): Promise<PostgresBackend> {
  const wish = process.env["MODELGATE_TEST_BACKENDS"];
  if (wish === "local" || (wish !== "docker" && !(await imageAnswers(image)))) return startLocalPostgres();
  const container = await new GenericContainer(image)
    .withLabels(testLabels)
    .withEnvironment({ POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database })
    .withExposedPorts(5432)
    // It starts twice: the first time only for itself, to make the database.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://${user}:${password}@${container.getHost()}:${container.getMappedPort(5432)}/${database}`,
    async [Symbol.asyncDispose]() {
      await container.stop();
    },
  };
}

/** A server of this machine, for tests that take it down. */
export async function startLocalPostgres(): Promise<LocalPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-postgres-"));
  chmodSync(folder, 0o711); // its server runs as another user where we are root
  const [port = 0] = await freePorts(1);
  let url = "";
  const server = await control(async () => {
    for (const end = Date.now() + takesOverWithinMs; ;)
      try {
        const started = await startServer({ port, folder: join(folder, "server"), keep: false });
        ({ url } = started);
        return started;
      } catch (error) {
        // What a killed server leaves of itself ends on its own; until then no other takes its files.
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
