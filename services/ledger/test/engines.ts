import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBooks, type Books, type BooksAddress } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startLocalPostgres } from "@modelgate/testkit";

/** Database of a test's books: the environment for a ledger, and access for the test. */
export interface TestEngine extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Opens empty books. Removes everything that an earlier test wrote. */
  emptyBooks(): Promise<Books>;
}

/** Database engines of the books. Tests of the service run on each. */
export const engines = [
  { name: "SQLite", start: startSqlite },
  { name: "PostgreSQL", start: startPostgres },
] as const;

const { log } = createLogger("ledger", "silent");

async function startSqlite(): Promise<TestEngine> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-ledger-"));
  return {
    env: { MODELGATE_DATA: folder },
    emptyBooks: () => openBooks({ file: ":memory:" }, log),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function startPostgres(): Promise<TestEngine> {
  const server = await startLocalPostgres();
  const address: BooksAddress = { url: server.url, file: "" };
  return {
    env: { BOOKS_URL: server.url },
    async emptyBooks() {
      await using books = await openBooks(address, log);
      await books.db.schema.dropSchema("public").cascade().execute();
      await books.db.schema.createSchema("public").execute();
      return openBooks(address, log);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
