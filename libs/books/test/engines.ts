import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql, type KyselyPlugin } from "kysely";
import { createLogger, once } from "@modelgate/platform";
import { testUsageDraft, sharePostgres } from "@modelgate/testkit";
import type { UsageEvent } from "@modelgate/contracts";
import { openBooks, type Books, type BooksAddress } from "../src/index.ts";

export const { log } = createLogger("test", "silent");

/** Database engine for one test file. */
export interface TestEngine extends AsyncDisposable {
  readonly kind: Books["engine"];
  /** Creates an empty database and returns its address. */
  address(): Promise<BooksAddress>;
  /** Creates empty books and returns their address. Copies a database, which is faster than the migrations. */
  booksAddress(): Promise<BooksAddress>;
}

/** Engines on which the tests of the books run. */
export const engines = [
  { name: "SQLite", kind: "sqlite", start: startSqlite },
  { name: "PostgreSQL", kind: "postgres", start: startPostgresEngine },
] as const;

/** Open books that the tests of this worker use in turn, because opening books is slow. */
interface SharedBooks {
  readonly books: Books;
  readonly tables: readonly string[];
  /** Marks that the migrations have set. */
  readonly marks: readonly { readonly name: string; readonly value: string }[];
}

const unusedBooks: Record<Books["engine"], SharedBooks[]> = { sqlite: [], postgres: [] };

/**
 * Returns empty books for one test. Their disposal empties them for the next test. `{ ...books }` are the same books as
 * another process sees them, because what a process has read of them is cached by the object.
 */
export async function newBooks({ kind }: Pick<TestEngine, "kind">): Promise<Books> {
  const shared = unusedBooks[kind].pop() ?? (await createSharedBooks(kind));
  const giveBack = once(async () => {
    await empty(shared);
    unusedBooks[kind].push(shared);
  });
  return { ...shared.books, [Symbol.asyncDispose]: giveBack };
}

async function createSharedBooks(kind: Books["engine"]): Promise<SharedBooks> {
  const address = kind === "sqlite" ? { file: ":memory:" } : await sharedAddress();
  const books = await openBooks(address, log);
  const tables = await books.db.introspection.getTables();
  const marks = await books.db.selectFrom("marks").selectAll().execute();
  return { books, tables: tables.map(({ name }) => name), marks };
}

async function sharedAddress(): Promise<BooksAddress> {
  const { url } = await sharePostgres();
  return addressOf(url, await copyTemplate(url));
}

async function empty({ books, tables, marks }: SharedBooks): Promise<void> {
  await books.db.transaction().execute(async (transaction) => {
    for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(transaction);
    await transaction.insertInto("marks").values(marks).execute();
    await sql`update kysely_migration set timestamp = ${new Date().toISOString()}`.execute(transaction);
  });
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
    kind: "sqlite",
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
  const { url } = await sharePostgres();
  return {
    kind: "postgres",
    address: async () => addressOf(url, await createDatabase(url)),
    booksAddress: async () => addressOf(url, await copyTemplate(url)),
    // The databases stay until the server ends. A deletion would write all data of the server to its disk.
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function addressOf(server: string, database: string): BooksAddress {
  return { url: server.replace(/[^/]+$/, database), file: "" };
}

async function createDatabase(server: string, from = ""): Promise<string> {
  // The server may have databases of an earlier worker.
  const name = `books_${process.pid}_${databases++}`;
  await onServer(server, `create database ${name} ${from}`);
  return name;
}

async function copyTemplate(server: string): Promise<string> {
  template ??= createDatabase(server).then(async (name) => {
    await createBooks(addressOf(server, name));
    return name;
  });
  template.catch(() => (template = undefined)); // the next file tries again
  return createDatabase(server, `template ${await template}`);
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
