import { PostgresDialect } from "kysely";
import { Pool, types } from "pg";

const maxConnections = 8;
/** Maximum ms to wait for a connection. */
const connectMs = 5_000;
/** Maximum ms of one statement. */
const statementMs = 60_000;

/** Parses 64-bit integers as numbers. Queries read money as text. */
const typeParser: typeof types.getTypeParser = (oid, format) =>
  // oxlint-disable-next-line typescript/no-unsafe-return -- getTypeParser returns any
  oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format);

/** Creates the access to PostgreSQL. `onLost` is called when a connection breaks. */
export function postgresDialect(url: string, onLost: (error: Error) => void): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    application_name: "modelgate",
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    types: { getTypeParser: typeParser },
  });
  // Emitted for a connection that breaks while no statement runs.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return new PostgresDialect({ pool });
}
