import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadRequest, OpenedFile, ThreadReply } from "./sqlite-thread.ts";

/** Worker thread of `SqliteThread`. It runs one statement after another. */

/** Maximum ms that a statement waits for another process. */
const busyTimeoutMs = 1_000;
/** Maximum number of cached prepared statements. */
const maxStatements = 100;

/**
 * Caches 64 MiB of pages, and copies the write-ahead log to the file after 64 MiB. Pages that change often are then
 * copied less often.
 */
const pragmas = `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536;
  pragma wal_autocheckpoint = 16384`;

// `workerData` has no type; `SqliteThread` sets these members.
// oxlint-disable-next-line typescript/no-unsafe-assignment
const { file }: OpenedFile = workerData;
const statements = new Map<string, StatementSync>();
let database: DatabaseSync | undefined;

parentPort?.on("message", (request: ThreadRequest) => {
  // The rule is about windows; a thread's port has exactly one receiver.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(handleRequest(request));
});

function handleRequest(request: ThreadRequest): ThreadReply {
  try {
    if (request === "close") {
      database?.close();
      return { rows: [] };
    }
    database ??= openDatabase();
    return request === "open" ? { rows: [] } : runStatement(prepareCached(database, request.text), request.parameters);
  } catch (error) {
    return { failed: errorMembers(error) };
  }
}

function openDatabase(): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    opened.exec(pragmas);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function prepareCached(opened: DatabaseSync, text: string): StatementSync {
  const cached = statements.get(text);
  if (cached !== undefined) return cached;
  const prepared = opened.prepare(text);
  const [oldest] = statements.keys();
  if (statements.size >= maxStatements && oldest !== undefined) statements.delete(oldest);
  statements.set(text, prepared);
  return prepared;
}

function runStatement(statement: StatementSync, parameters: SQLInputValue[]): ThreadReply {
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  const { changes } = statement.run(...parameters);
  return { rows: [], changes: BigInt(changes) };
}

/** Returns the members of an error that are sent to the other thread. A structured clone would lose its codes. */
function errorMembers(error: unknown): Extract<ThreadReply, { failed: unknown }>["failed"] {
  const { message, code, errcode } = Object.assign({ message: "", code: undefined, errcode: undefined }, error);
  return { message: error instanceof Error ? error.message : message, code, errcode };
}
