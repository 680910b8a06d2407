import { Socket } from "node:net";
import { PostgresDialect } from "kysely";
import { Pool, types } from "pg";

const maxConnections = 8;
/** Maximum ms to wait for a connection. */
const connectMs = 5_000;
/** Maximum ms of one statement. */
const statementMs = 60_000;
/** Maximum ms without an answer. A host that has vanished does not end its connections. */
const silenceMs = statementMs + 5_000;
/** Time in ms after which an idle connection is checked. */
const keepAliveMs = 10_000;

/** Parses 64-bit integers as numbers. Queries read money as text. */
const typeParser: typeof types.getTypeParser = (oid, format) =>
  // oxlint-disable-next-line typescript/no-unsafe-return -- getTypeParser returns any
  oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format);

/**
 * Creates the access to PostgreSQL. `onLost` is called when a connection breaks. `maxSilenceMs` must exceed the duration
 * of every statement; 0 is no limit.
 */
export function postgresDialect(
  url: string,
  onLost: (error: Error) => void,
  maxSilenceMs = silenceMs,
): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    application_name: "modelgate",
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    stream: () => limitedSocket(maxSilenceMs),
    types: { getTypeParser: typeParser },
  });
  // Emitted for a connection that breaks while no statement runs.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return new PostgresDialect({ pool });
}

/** Creates a socket that breaks if it neither sends nor receives anything for `maxSilenceMs`. */
function limitedSocket(maxSilenceMs: number): Socket {
  const socket = new Socket();
  const error = Object.assign(new Error("PostgreSQL does not answer"), { code: "ETIMEDOUT" });
  return socket.setTimeout(maxSilenceMs, () => socket.destroy(error));
}
