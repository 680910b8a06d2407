import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SqliteAdapter, SqliteDialect, type DialectAdapter, type SqliteDatabase, type SqliteStatement } from "kysely";

/** How long a statement waits for another process that writes to the file. */
const busyTimeoutMs = 1_000;
/** Most prepared statements that are kept for their next use. */
const mostStatements = 100;

/**
 * 64 MiB of pages in memory, and as many in the log before they go to their places in the file: a page that many batches
 * change is then written once.
 */
const settings = `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536;
  pragma wal_autocheckpoint = 16384`;

/**
 * Opens a SQLite file, created where it is absent, in WAL mode: readers never wait for the writer. A commit is on the
 * disk when it returns (`synchronous=FULL`), because events are acknowledged to JetStream after it. Throws SQLite's error.
 */
export function sqliteDialect(file: string): SqliteDialect {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    database.exec(settings);
  } catch (error) {
    database.close();
    throw error;
  }
  return new FileDialect({ database: adapted(database) });
}

/** SQLite rolls changes of the schema back too, so a migration is one transaction. */
class FileDialect extends SqliteDialect {
  override createAdapter(): DialectAdapter {
    return new FileAdapter();
  }
}

class FileAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** `node:sqlite` as Kysely's SQLite dialect expects a database. */
function adapted(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      const kept = statements.get(text);
      if (kept !== undefined) return kept;
      // A transaction takes the write lock when it begins: one that reads first could not get it later.
      const made = statementOf(database.prepare(text === "begin" ? "begin immediate" : text));
      const [oldest] = statements.keys();
      if (statements.size >= mostStatements && oldest !== undefined) statements.delete(oldest);
      statements.set(text, made);
      return made;
    },
  };
}

function statementOf(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...bound(parameters)),
    run: (parameters) => statement.run(...bound(parameters)),
    iterate: (parameters) => statement.iterate(...bound(parameters)),
  };
}

function bound(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
      return value;
    throw new TypeError(`SQLite takes no ${typeof value} as a parameter`);
  });
}
