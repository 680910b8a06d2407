import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import { SqliteThread } from "./sqlite-thread.ts";

/**
 * Creates the access to a SQLite file. A commit is on disk when it returns (`synchronous=FULL`), because its events are
 * then acknowledged to JetStream.
 */
export function sqliteDialect(file: string): Dialect {
  mkdirSync(dirname(file), { recursive: true });
  return {
    createAdapter: () => new FileAdapter(),
    createDriver: () => new FileDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Adapter that runs each migration in one transaction, which SQLite supports. */
class FileAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Driver with one connection. Its users wait for each other. A thread that has ended is replaced. */
class FileDriver implements Driver {
  readonly #file: string;
  #thread: SqliteThread | undefined;
  #last: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    this.#thread = await SqliteThread.open(this.#file);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    this.#release = resolve;
    try {
      if (this.#thread === undefined) throw new Error("the file of the books is not open");
      if (this.#thread.hasEnded) this.#thread = await SqliteThread.open(this.#file);
      return new FileConnection(this.#thread);
    } catch (error) {
      resolve();
      throw error;
    }
  }

  releaseConnection(): Promise<void> {
    this.#release?.();
    return Promise.resolve();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Locks the file for writing now, because SQLite may refuse the lock to a transaction that has already read
    // something.
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}

class FileConnection implements DatabaseConnection {
  readonly #thread: SqliteThread;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#thread.run(sql, checkParameters(parameters));
    // Kysely derives a row's type from the query.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const result = { rows: rows as Row[] };
    return changes === undefined ? result : { ...result, numAffectedRows: changes };
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("a file's rows are read page by page, not streamed");
  }
}

function checkParameters(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
      return value;
    throw new TypeError(`SQLite does not accept a ${typeof value} as a parameter`);
  });
}
