import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBooks } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { ChildEnded, startPostgres, startServiceAlone, type PostgresBackend } from "@modelgate/testkit";

const { log } = createLogger("test", "silent");

/** Addresses without a server, because the ledger opens the books first. */
const unreachableStores = {
  REDIS_URL: "redis://127.0.0.1:1",
  NATS_URL: "nats://127.0.0.1:1",
  MODELGATE_SECRET: "a secret of the tests, long enough",
  LOG_LEVEL: "warn",
};

/** Starts a ledger that must refuse its configuration. Returns its log. */
async function startError(env: Readonly<Record<string, string>>): Promise<string> {
  const error: unknown = await startServiceAlone("ledger", { ...unreachableStores, ...env }).then(
    (ledger) => ledger.stop(),
    (error: unknown) => error,
  );
  if (!(error instanceof ChildEnded)) throw new Error("the ledger has started", { cause: error });
  expect(error.status).toBe(78);
  const line = error.logs.trim();
  expect(line).not.toContain("\n");
  expect(line).not.toContain("hidden");
  return line;
}

const addLaterMigration = "insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')";

describe("a start with books in SQLite reports", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "modelgate-bad-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("a data folder that is not a folder", async () => {
    expect(await startError({ MODELGATE_DATA: "/dev/null" })).toMatch(
      /ledger: The books at \/dev\/null\/books\.sqlite cannot be used: .+/,
    );
  });

  test("a file that is not a database", async () => {
    writeFileSync(join(folder, "books.sqlite"), "not a database, and long enough to be recognised as such".repeat(20));
    expect(await startError({ MODELGATE_DATA: folder })).toContain("the file is not a SQLite database");
    rmSync(join(folder, "books.sqlite"));
  });

  test("books of a newer version", async () => {
    const file = join(folder, "books.sqlite");
    await (await openBooks({ file }, log))[Symbol.asyncDispose]();
    const database = new DatabaseSync(file);
    database.exec(addLaterMigration);
    database.close();
    expect(await startError({ MODELGATE_DATA: folder })).toMatch(
      /The books were written by a newer version: .*9999-later/,
    );
  });
});

describe("a start with books in PostgreSQL reports", () => {
  let server: PostgresBackend;
  beforeAll(async () => {
    server = await startPostgres();
    await (await openBooks({ url: server.url, file: "" }, log))[Symbol.asyncDispose]();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function onServer(statement: string): Promise<void> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
  const asReader = (): string => server.url.replace("modelgate:modelgate", "reader:hidden");

  test("an address with another protocol", async () => {
    expect(await startError({ BOOKS_URL: "mysql://host/books" })).toContain(
      "BOOKS_URL is not the address of a PostgreSQL",
    );
  });

  test("a wrong password", async () => {
    const url = server.url.replace("modelgate:modelgate", "modelgate:hidden");
    expect(await startError({ BOOKS_URL: url })).toContain("user or password is wrong");
  });

  test("a user without rights", async () => {
    await onServer("create role reader login password 'hidden'");
    await onServer("grant select on all tables in schema public to reader");
    expect(await startError({ BOOKS_URL: asReader() })).toContain("lacks rights");
  });

  test("a database that is read-only", async () => {
    await onServer("alter role reader set default_transaction_read_only = on");
    expect(await startError({ BOOKS_URL: asReader() })).toContain("it is read-only: BOOKS_URL must name the primary");
  });

  test("books of a newer version", async () => {
    await onServer(addLaterMigration);
    expect(await startError({ BOOKS_URL: server.url })).toMatch(
      /The books were written by a newer version: .*9999-later/,
    );
  });
});
