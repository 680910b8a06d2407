import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresDialect } from "../src/engine/postgres.ts";
import { sqliteDialect } from "../src/engine/sqlite.ts";
import { openBooks, type Books } from "../src/index.ts";
import { migrate } from "../src/migrate.ts";
import { migrations } from "../src/migrations/index.ts";
import type { Tables } from "../src/schema.ts";
import { engines, log, type TestEngine } from "./engines.ts";
import { day, versions } from "./former-versions.ts";

describe.each(engines)("books in $name of the version", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    const address = await engine.address();
    const dialect =
      address.url === undefined ? sqliteDialect(address.file) : postgresDialect(address.url, () => undefined);
    const db = new Kysely<Tables>({ dialect });
    for (const { last, fill } of versions) {
      const steps = Object.entries(migrations).filter(([step]) => step <= last);
      await migrate(db, engine.kind, Object.fromEntries(steps));
      if (engine.kind === "postgres") await createPartitions(db, last === "0001-calls" ? [] : ["call_labels"]);
      await fill(db, engine.kind);
    }
    await db.destroy();
    books = await openBooks(address, log);
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  test.each(versions)("$title", async ({ check }) => {
    await expect(check(books)).resolves.toBeUndefined();
  });
});

/** Creates the partitions of two days, as earlier versions did. */
async function createPartitions(db: Kysely<Tables>, more: readonly string[]): Promise<void> {
  for (const table of ["calls", ...more])
    for (const from of [day.from, day.to])
      await sql`create table if not exists ${sql.table(`${table}_${from === day.from ? "20260110" : "20260111"}`)}
        partition of ${sql.table(table)} for values from (${sql.lit(from)}) to (${sql.lit(from + day.to - day.from)})`.execute(
        db,
      );
}
