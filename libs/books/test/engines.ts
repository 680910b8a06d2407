import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KyselyPlugin } from "kysely";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft, sharePostgres } from "@modelgate/testkit";
import type { UsageEvent } from "@modelgate/contracts";
import { openBooks, type Books, type BooksAddress } from "../src/index.ts";

export const { log } = createLogger("test", "silent");

/** Database engine for one test file. */
export interface TestEngine extends AsyncDisposable {
  /** Creates an empty database and returns its address. */
  address(): Promise<BooksAddress>;
  /** Creates empty books and returns their address. Copies a database, which is faster than the migrations. */
  booksAddress(): Promise<BooksAddress>;
}

/** Engines on which the tests of the books run. */
export const engines = [
  { name: "SQLite", start: startSqlite },
  { name: "PostgreSQL", start: startPostgresEngine },
] as const;

/** Opens new, empty books. */
export async function newBooks(engine: TestEngine): Promise<Books> {
  return openBooks(await engine.booksAddress(), log);
}

/** Returns books in which `change` runs after each of the first `times` queries. */
export function changedAfterReading(books: Books, times: number, change: () => Promise<void>): Books {
  let queries = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++queries <= times) await change();
      return result;
    },
  };
  return { ...books, db: books.db.withPlugin(plugin) };
}

async function createBooks(address: BooksAddress): Promise<BooksAddress> {
  await (await openBooks(address, log))[Symbol.asyncDispose]();
  return address;
}

async function startSqlite(): Promise<TestEngine> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-books-"));
  let count = 0;
  let template: Promise<BooksAddress> | undefined;
  const address = async () => ({ file: join(folder, `books-${count++}.sqlite`) });
  return {
    address,
    async booksAddress() {
      template ??= address().then(createBooks);
      const copy = await address();
      copyFileSync((await template).file, copy.file);
      return copy;
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let databases = 0;
/** Name of the database that is copied for new books. */
let template: Promise<string> | undefined;

/** Starts an engine on the PostgreSQL server that the test files of a worker share. */
export async function startPostgresEngine(): Promise<TestEngine> {
  const server = await sharePostgres();
  const names: string[] = [];
  const create = async (from = ""): Promise<string> => {
    // The server may have databases of an earlier worker.
    const name = `books_${process.pid}_${databases++}`;
    await onServer(server.url, `create database ${name} ${from}`);
    return name;
  };
  const addressOf = (name: string): BooksAddress => ({ url: server.url.replace(/[^/]+$/, name), file: "" });
  const ofFile = (name: string): BooksAddress => {
    names.push(name);
    return addressOf(name);
  };
  return {
    address: async () => ofFile(await create()),
    async booksAddress() {
      template ??= create().then(async (name) => {
        await createBooks(addressOf(name));
        return name;
      });
      template.catch(() => (template = undefined)); // the next file tries again
      return ofFile(await create(`template ${await template}`));
    },
    async [Symbol.asyncDispose]() {
      for (const name of names) await onServer(server.url, `drop database ${name} with (force)`);
    },
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
