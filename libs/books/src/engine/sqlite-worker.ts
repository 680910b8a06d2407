import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadRequest, OpenedFile, Reply } from "./sqlite-thread.ts";

/** Worker thread that has a SQLite file open (`sqlite-thread.ts`): runs one statement after the other. */

/** Maximum ms that a statement waits for another process that writes to the file. */
const busyTimeoutMs = 1_000;
/** Maximum prepared statements that are kept for their next use. */
const maxStatements = 100;

/**
 * 64 MiB of pages in memory, and as many in the log before they are copied into the file, so that a page which many
 * batches change is copied once.
 */
const settings = `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536;
  pragma wal_autocheckpoint = 16384`;

// `workerData` has no type; the thread that starts this one sets these members.
// oxlint-disable-next-line typescript/no-unsafe-assignment
const { file }: OpenedFile = workerData;
const statements = new Map<string, StatementSync>();
let database: DatabaseSync | undefined;

parentPort?.on("message", (request: ThreadRequest) => {
  // The rule is about windows; a thread's port has exactly one other end.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(answer(request));
});

function answer(request: ThreadRequest): Reply {
  try {
    if (request === "close") {
      database?.close();
      return { rows: [] };
    }
    database ??= open();
    return request === "open" ? { rows: [] } : run(prepared(database, request.text), request.parameters);
  } catch (error) {
    return { failed: failureOf(error) };
  }
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    opened.exec(settings);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function prepared(at: DatabaseSync, text: string): StatementSync {
  const kept = statements.get(text);
  if (kept !== undefined) return kept;
  const made = at.prepare(text);
  const [oldest] = statements.keys();
  if (statements.size >= maxStatements && oldest !== undefined) statements.delete(oldest);
  statements.set(text, made);
  return made;
}

function run(statement: StatementSync, parameters: SQLInputValue[]): Reply {
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
  const { changes } = statement.run(...parameters);
  return { rows: [], changes: BigInt(changes) };
}

/** Returns the members of an error that the other thread needs, because a structured clone would lose its codes. */
function failureOf(error: unknown): Extract<Reply, { failed: unknown }>["failed"] {
  const { message, code, errcode } = Object.assign({ message: "", code: undefined, errcode: undefined }, error);
  return { message: error instanceof Error ? error.message : message, code, errcode };
}
