import { Kysely, sql } from "kysely";
import { once, StartError, type Logger } from "@modelgate/platform";
import { postgresDialect } from "./engine/postgres.ts";
import { sqliteDialect } from "./engine/sqlite.ts";
import { isUnavailable, describeError } from "./failure.ts";
import { migrate } from "./migrate.ts";
import type { Engine } from "./migrations/tables.ts";
import type { Tables } from "./schema.ts";

/** The open books: a SQLite file or a PostgreSQL database. */
export interface Books extends AsyncDisposable {
  readonly engine: Engine;
  readonly db: Kysely<Tables>;
}

/** Location of the books. */
export interface BooksAddress {
  /** `postgres://…`; absent: SQLite. */
  readonly url?: string | undefined;
  readonly file: string;
}

/** Minimum version of PostgreSQL, as `server_version_num`. */
const minPostgresVersion = 150_000;

/**
 * Opens the books and updates their schema. Throws StartError with advice if they cannot be used, and BooksUnavailable
 * if the server does not answer.
 */
export async function openBooks({ url, file }: BooksAddress, log: Logger): Promise<Books> {
  const engine: Engine = url === undefined ? "sqlite" : "postgres";
  const where = url === undefined ? file : locationOf(url);
  let db: Kysely<Tables> | undefined;
  try {
    const onLost = ({ message }: Error) => log.debug({ why: message }, "a connection to the books was lost");
    if (url !== undefined) {
      // A migration may take longer than any other statement.
      await using unlimited = new Kysely<Tables>({ dialect: postgresDialect(url, onLost, 0) });
      await checkPostgresVersion(unlimited, where);
      await migrate(unlimited, engine);
    }
    const opened = new Kysely<Tables>({
      dialect: url === undefined ? sqliteDialect(file) : postgresDialect(url, onLost),
    });
    db = opened;
    if (url === undefined) await migrate(opened, engine);
    await checkRights(opened);
    return createBooks(engine, opened);
  } catch (error) {
    await db?.destroy().catch(() => undefined);
    if (error instanceof StartError) throw error;
    if (isUnavailable(error)) throw new BooksUnavailable(`The books at ${where} do not answer.`, { cause: error });
    throw new StartError(`The books at ${where} cannot be used: ${describeError(error)}`);
  }
}

function createBooks(engine: Engine, db: Kysely<Tables>): Books {
  const close = once(() => db.destroy());
  return { engine, db, [Symbol.asyncDispose]: close };
}

/** Error of a database server that does not answer. A later attempt may succeed. */
export class BooksUnavailable extends Error {
  override readonly name = "BooksUnavailable";
}

/**
 * Returns the host, port and database of an address, without credentials. Throws StartError if the address is invalid.
 */
function locationOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["postgres:", "postgresql:"].includes(parsed.protocol) || parsed.hostname === "")
    throw new StartError(
      "BOOKS_URL is not the address of a PostgreSQL database: postgres://user:password@host:5432/database.",
    );
  return `${parsed.host}${parsed.pathname}`;
}

async function checkPostgresVersion(db: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<{ num: string; words: string }>`
    select current_setting('server_version_num') as num, current_setting('server_version') as words`.execute(db);
  const [version] = rows;
  if (version !== undefined && Number(version.num) < minPostgresVersion)
    throw new StartError(`The books at ${where} run on PostgreSQL ${version.words}: 15 or newer is required.`);
}

const tables: Readonly<Record<keyof Tables, true>> = {
  calls: true,
  call_ids: true,
  other_receipts: true,
  first_bytes: true,
  daily_first_bytes: true,
  call_labels: true,
  refused_calls: true,
  hourly_totals: true,
  daily_totals: true,
  labelled_totals: true,
  daily_tag_totals: true,
  daily_tag_first_bytes: true,
  credits: true,
  accounts: true,
  tokens: true,
  budgets: true,
  audit: true,
  anchors: true,
  restorations: true,
  marks: true,
  tasks: true,
  moved_days: true,
  configurations: true,
  vendor_keys: true,
  operators: true,
  organisations: true,
  teams: true,
  memberships: true,
  operator_keys: true,
  alerts: true,
  alert_targets: true,
  alert_deliveries: true,
};

/** Runs an insert without rows for each table, so that missing rights are found at the start. */
async function checkRights(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const table of Object.keys(tables))
      await sql`insert into ${sql.table(table)} select * from ${sql.table(table)} where 1 = 0`.execute(transaction);
  });
}
