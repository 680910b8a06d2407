import { PostgresDialect } from "kysely";
import { Pool, types } from "pg";

/** Maximum connections of one process. */
const maxConnections = 8;
/** Maximum ms to wait for a connection. */
const connectMs = 5_000;
/** Maximum ms of one statement; the gateway's statements take a fraction of it. */
const statementMs = 60_000;

/** 64-bit integers are parsed as numbers: times in ms and counts are below 2^53, and queries read money as text. */
const parsers: typeof types.getTypeParser = (oid, format) =>
  // oxlint-disable-next-line typescript/no-unsafe-return -- pg types its parsers so
  oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format);

/** Creates a pool of connections to PostgreSQL; it connects at the first query. */
export function postgresDialect(url: string, onLost: (error: Error) => void): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    application_name: "modelgate",
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    types: { getTypeParser: parsers },
  });
  // Called for a connection that breaks while it is idle, or between two statements; the next query opens another.
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return new PostgresDialect({ pool });
}
