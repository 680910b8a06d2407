import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StartError } from "@modelgate/platform";
import { openSlowProxy } from "@modelgate/testkit";
import { postgresDialect } from "../src/engine/postgres.ts";
import { BooksUnavailable, isUnavailable, openBooks, readTotals, recordCalls, unitMeasures } from "../src/index.ts";
import { migrate } from "../src/migrate.ts";
import type { Tables } from "../src/schema.ts";
import { callOf, engines, log, onServer, type TestEngine } from "./engines.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-open-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(engines)("$name", ({ name, start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  test("books are created once by any number of concurrent ledgers, and are found by the next start", async () => {
    const address = await engine.address();
    const opened =
      name === "SQLite"
        ? [await openBooks(address, log)]
        : await Promise.all([1, 2, 3].map(() => openBooks(address, log)));
    for (const books of opened) {
      expect(await recordCalls(books, [callOf("one")])).toHaveLength(books === opened[0] ? 1 : 0);
      await books[Symbol.asyncDispose]();
    }
    await using again = await openBooks(address, log);
    expect(await recordCalls(again, [callOf("one")])).toEqual([]);
  });

  test("books of a newer version are refused, and are not changed", async () => {
    const address = await engine.booksAddress();
    await using books = await openBooks(address, log);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(books.db);
    await books[Symbol.asyncDispose]();
    const refused = openBooks(address, log);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(/^The books were written by a newer version.*9999-later/);
  });

  test("a unit that is added to the contracts gets its column; existing sums are kept", async () => {
    const address = await engine.booksAddress();
    await using before = await openBooks(address, log);
    await recordCalls(before, [callOf("before", { units: { images: 2, inputTokens: 3 } })]);
    // Simulates books of a version without the unit.
    for (const table of ["hourly_totals", "daily_totals", "labelled_totals"])
      await sql`alter table ${sql.table(table)} drop column ${sql.ref("images")}`.execute(before.db);
    await before[Symbol.asyncDispose]();
    await using after = await openBooks(address, log);
    await recordCalls(after, [callOf("after", { units: { images: 5, inputTokens: 1 } })]);
    const [total] = await readTotals(after, { from: 0, to: Date.parse("2027-01-01"), groupBy: [] });
    expect(total?.sums).toEqual({ calls: "2", costNanos: "2", inputTokens: "4", images: "5" });
    expect(unitMeasures).toContain("images");
  });
});

test("a thread of SQLite that ended is replaced at the next statement", async () => {
  const created = new Promise<Worker>((resolve) => process.once("worker", resolve));
  await using books = await openBooks({ file: join(folder, "ended.sqlite") }, log);
  await recordCalls(books, [callOf("one")]);
  await (await created).terminate();
  expect(await recordCalls(books, [callOf("one"), callOf("two")])).toEqual([callOf("two")]);
});

test("a migration in PostgreSQL may take longer than any query", async () => {
  await using engine = await engines[1].start();
  const { url = "" } = await engine.address();
  const db = new Kysely<Tables>({ dialect: postgresDialect(url, () => undefined) });
  const timeouts: unknown[] = [];
  const look = {
    up: async (at: Kysely<unknown>) => void timeouts.push(...(await sql`show statement_timeout`.execute(at)).rows),
  };
  await migrate(db, "postgres", { "0001-look": look });
  await db.destroy();
  expect(timeouts).toEqual([{ statement_timeout: "0" }]);
});

test("a PostgreSQL whose host vanishes is unavailable after a limited time", async () => {
  await using engine = await engines[1].start();
  const { url = "" } = await engine.address();
  const { hostname, port } = new URL(url);
  await using proxy = await openSlowProxy(Number(port));
  const proxied = url.replace(`${hostname}:${port}`, `127.0.0.1:${proxy.port}`);
  const db = new Kysely<Tables>({ dialect: postgresDialect(proxied, () => undefined, 100) });
  const inTransaction = db.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction);
    proxy.holdAnswers("open");
    await sql`select 1`.execute(transaction);
  });
  expect(isUnavailable(await inTransaction.catch((error: unknown) => error))).toBe(true);
  await db.destroy();
});

describe("a wrong BOOKS_URL is one clear line", () => {
  let engine: TestEngine;
  let url: string;
  beforeAll(async () => {
    engine = await engines[1].start();
    ({ url = "" } = await engine.address());
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  const refusal = async (wrong: string, file = ""): Promise<string> => {
    const error: unknown = await openBooks(wrong === "" ? { file } : { url: wrong, file }, log).then(
      async (books) => {
        await books[Symbol.asyncDispose]();
        return new Error("was opened");
      },
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(StartError);
    const { message } = error instanceof Error ? error : new Error("no error");
    expect(message).not.toContain("\n");
    expect(message).not.toContain("hidden");
    return message;
  };

  test.each(["not an address", "mysql://host/books", "postgres://", "http://127.0.0.1"])("%s", async (wrong) => {
    expect(await refusal(wrong)).toBe(
      "BOOKS_URL is not the address of a PostgreSQL database: postgres://user:password@host:5432/database.",
    );
  });

  test("a wrong password", async () => {
    expect(await refusal(url.replace("modelgate@", "hidden@"))).toMatch(
      /^The books at 127\.0\.0\.1:\d+\/books_\d+_\d+ cannot be used: user or password is wrong/,
    );
  });

  test("a database that does not exist", async () => {
    expect(await refusal(`${url}-absent`)).toContain("the database does not exist: create it");
  });

  test("a user without rights", async () => {
    const role = `reader_${new URL(url).pathname.slice(1)}`; // other files use the same server
    await onServer(url, `create role ${role} login password 'hidden'`);
    const reader = url.replace("modelgate:modelgate", `${role}:hidden`);
    expect(await refusal(reader)).toContain("lacks rights");
    // The tables exist, and the user may only read them.
    await (await openBooks({ url, file: "" }, log))[Symbol.asyncDispose]();
    await onServer(url, `grant select on all tables in schema public to ${role}`);
    expect(await refusal(reader)).toContain("lacks rights");
    // The user may not write to one of the tables.
    await onServer(url, `grant select, insert, update, delete on all tables in schema public to ${role}`);
    await (await openBooks({ url: reader, file: "" }, log))[Symbol.asyncDispose]();
    await onServer(url, `revoke insert on refused_calls from ${role}`);
    expect(await refusal(reader)).toContain("lacks rights");
  });

  test("a database that is read-only", async () => {
    const address = await engine.booksAddress();
    await onServer(url, `alter database ${address.url?.split("/").at(-1)} set default_transaction_read_only = on`);
    expect(await refusal(address.url ?? "")).toContain("it is read-only: BOOKS_URL must name the primary");
  });

  test("a file that is not a database, a folder, and a folder that is not a data folder", async () => {
    writeFileSync(join(folder, "text"), "this is not a database, and long enough to be seen for what it is".repeat(20));
    mkdirSync(join(folder, "folder"));
    expect(await refusal("", join(folder, "text"))).toContain("the file is not a SQLite database");
    expect(await refusal("", join(folder, "folder"))).toContain("the file cannot be opened");
    expect(await refusal("", join(folder, "text", "books.sqlite"))).toContain("the data folder is not a folder");
  });

  test("a file that is not writable", async () => {
    const file = join(folder, "kept.sqlite");
    await (await openBooks({ file }, log))[Symbol.asyncDispose]();
    chmodSync(file, 0o444);
    const refusalText =
      process.getuid?.() === 0 ? await runUnprivileged(() => refusal("", file)) : await refusal("", file);
    expect(refusalText).toMatch(/read-only|cannot be opened/);
  });

  test("a server that does not answer is not reported as a wrong address: it may answer later", async () => {
    await expect(openBooks({ url: "postgres://modelgate:hidden@127.0.0.1:1/books", file: "" }, log)).rejects.toThrow(
      BooksUnavailable,
    );
  });
});

/** Runs a function without privileges, because root may write to read-only files. */
async function runUnprivileged<T>(run: () => Promise<T>): Promise<T> {
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}
