import { sql, type Kysely } from "kysely";
import { createTable, type MigrationTools } from "./tables.ts";

/** Adds calls that were refused before money was reserved. */
async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "refused_calls", {
    columns: {
      account: "text",
      at: "bigint",
      id: "text",
      request: "text",
      token: "text",
      model: "text",
      status: "integer",
      call: "text",
      left_out: "bigint",
    },
    key: ["account", "at", "id"],
  });
  await sql`create index refused_calls_by_time on refused_calls (at)`.execute(db);
  await sql`create index refused_calls_by_request on refused_calls (request, at)`.execute(db);
}

export const refusedCalls = { up };
