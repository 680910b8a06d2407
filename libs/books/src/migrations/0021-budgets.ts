import type { Kysely } from "kysely";
import { createTable, type MigrationTools } from "./tables.ts";

async function up(db: Kysely<unknown>, { engine }: MigrationTools): Promise<void> {
  await createTable(db, engine, "budgets", {
    columns: { account: "text", version: "integer", projected: "integer", record: "text" },
    key: ["account"],
  });
}

export const budgets = { up };
