import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft, startPostgres } from "@modelgate/testkit";
import type { UsageEvent } from "@modelgate/contracts";
import { openBooks, type Books, type BooksAddress } from "../src/index.ts";

export const { log } = createLogger("test", "silent");

/** Database engine for one test file. It can contain any number of books. */
export interface TestEngine extends AsyncDisposable {
  /** Creates an empty database and returns its address. */
  address(): Promise<BooksAddress>;
}

/** Engines on which the tests of the books run. */
export const engines = [
  { name: "SQLite", start: startSqlite },
  { name: "PostgreSQL", start: startPostgresEngine },
] as const;

/** Opens new, empty books. */
export async function newBooks(engine: TestEngine): Promise<Books> {
  return openBooks(await engine.address(), log);
}

async function startSqlite(): Promise<TestEngine> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-books-"));
  let count = 0;
  return {
    address: async () => ({ file: join(folder, `books-${count++}.sqlite`) }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startPostgresEngine(): Promise<TestEngine> {
  const server = await startPostgres();
  let count = 0;
  return {
    async address() {
      const name = `books_${count++}`;
      await onServer(server.url, `create database ${name}`);
      return { url: server.url.replace(/[^/]+$/, name), file: "" };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Runs one statement on a server of PostgreSQL. */
export async function onServer(url: string, statement: string): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns a settled call. `more` replaces default members. */
export function callOf(id: string, more: Partial<UsageEvent> = {}): UsageEvent {
  return { ...testUsageDraft("acme", id), time: "2026-01-10T10:00:00.000Z", costNanos: "1", ...more };
}
