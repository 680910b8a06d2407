import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBooks, type Books } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startPostgresEngine } from "../../../libs/books/test/engines.ts";

/** Database of a test's books. */
export interface TestEngine extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Opens empty books. With PostgreSQL, `env` is changed to them. */
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
  const engine = await startPostgresEngine();
  let { url = "" } = await engine.address();
  return {
    get env() {
      return { BOOKS_URL: url };
    },
    async emptyBooks() {
      const address = await engine.booksAddress();
      ({ url = "" } = address);
      return openBooks(address, log);
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
