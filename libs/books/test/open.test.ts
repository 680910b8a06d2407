import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import { StartError } from "@modelgate/platform";
import { postgresDialect } from "../src/engine/postgres.ts";
import { sqliteDialect } from "../src/engine/sqlite.ts";
import {
  BooksUnavailable,
  bookAccount,
  findAccounts,
  hasCall,
  isUnavailable,
  readFetchableTasks,
  openBooks,
  readAlerts,
  readAlertTargets,
  readCalls,
  readTotals,
  recordCalls,
  unitMeasures,
  verifyAudit,
  verifyTotals,
} from "../src/index.ts";
import { migrate } from "../src/migrate.ts";
import { migrations } from "../src/migrations/index.ts";
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
    const address = await engine.address();
    await using books = await openBooks(address, log);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(books.db);
    await books[Symbol.asyncDispose]();
    const refused = openBooks(address, log);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(/^The books were written by a newer version.*9999-later/);
  });

  test("books of the version before tags keep their data, and accept tags", async () => {
    const { url, file } = await engine.address();
    const dialect = url === undefined ? sqliteDialect(file) : postgresDialect(url, () => undefined);
    const before = new Kysely<Tables>({ dialect });
    const kind = url === undefined ? "sqlite" : "postgres";
    await migrate(before, kind, { "0001-calls": migrations["0001-calls"] ?? raise("0001-calls is gone") });
    if (kind === "postgres")
      await sql`create table calls_20260110 partition of calls for values from (1768003200000) to (1768089600000)`.execute(
        before,
      );
    const { time, ...row } = {
      time: Date.parse("2026-01-10T10:00:00Z"),
      account: "acme",
      token: "t",
      model: "m",
      channel: "c",
    };
    await sql`insert into calls values ('acme', ${time}, 'old', 'r', 't', 'm', 'c', 'completed', 200, 1, ${JSON.stringify(callOf("old"))})`.execute(
      before,
    );
    for (const table of ["hourly_totals", "daily_totals"] as const)
      await before
        .insertInto(table)
        .values({ ...row, period: Date.parse("2026-01-10"), outcome: "completed", calls: 1, cost: 1n })
        .execute();
    await before.destroy();
    await using after = await openBooks({ url, file }, log);
    await recordCalls(after, [callOf("new", { tags: { team: "search" } })]);
    const month = { from: Date.parse("2026-01-01"), to: Date.parse("2026-02-01") };
    const { events } = await readCalls(after, month, { order: "oldest first", limit: 10 });
    expect(events.map(({ id }) => id)).toEqual(["new", "old"]);
    expect(await readTotals(after, { ...month, groupBy: ["tag:team"] })).toEqual([
      { by: { "tag:team": "" }, sums: { calls: "1", costNanos: "1" } },
      { by: { "tag:team": "search" }, sums: { calls: "1", costNanos: "1" } },
    ]);
  });

  /** Creates books as an earlier version did, whose last migration is `last`. */
  async function booksOf(
    last: keyof typeof migrations,
    fill: (db: Kysely<Tables>) => Promise<void>,
  ): Promise<Awaited<ReturnType<TestEngine["address"]>>> {
    const address = await engine.address();
    const { url, file } = address;
    const dialect = url === undefined ? sqliteDialect(file) : postgresDialect(url, () => undefined);
    const db = new Kysely<Tables>({ dialect });
    const kind = url === undefined ? "sqlite" : "postgres";
    await migrate(db, kind, Object.fromEntries(Object.entries(migrations).filter(([step]) => step <= last)));
    if (kind === "postgres")
      for (const table of ["calls", "call_labels"])
        await sql`create table ${sql.table(`${table}_20260110`)} partition of ${sql.table(table)}
          for values from (1768003200000) to (1768089600000)`.execute(db);
    await fill(db);
    await db.destroy();
    return address;
  }

  const insertCall = (db: Kysely<Tables>, event: UsageEvent, at: number) =>
    sql`insert into calls values (${event.accountId}, ${at}, ${event.id}, ${event.requestId}, 't', 'm', 'c', ${event.outcome},
      ${event.status}, 1, ${JSON.stringify(event)})`.execute(db);
  const at = Date.parse("2026-01-10T10:00:00Z");

  test("books of the version before the index of failed calls: their calls are found by status and by outcome", async () => {
    const failed = callOf("failed", { status: 500, outcome: "failed" });
    const address = await booksOf("0002-labels", async (db) => {
      await insertCall(db, callOf("well"), at);
      await insertCall(db, failed, at);
    });
    await using books = await openBooks(address, log);
    const ever = { from: 0, to: Number.MAX_SAFE_INTEGER };
    for (const filter of [{ status: 500 }, { outcome: "failed" as const }]) {
      const { events } = await readCalls(books, { ...ever, ...filter }, { order: "newest first", limit: 5 });
      expect(events).toEqual([failed]);
    }
  });

  test("books of the version with alerts of the kind channel-resting: they have the current kind", async () => {
    const target = {
      id: "trg",
      account: "",
      kind: "webhook",
      name: "Ops",
      address: "hook.test",
      createdAt: "",
    } as const;
    const address = await booksOf("0025-former-receipts", async (db) => {
      await sql`insert into alert_targets (id, account, kind, at, record, sealed) values ('trg', '', 'webhook', ${at},
        ${JSON.stringify({ ...target, alerts: ["budget", "channel-resting"] })}, '')`.execute(db);
      for (const [kind, period] of [
        ["channel-resting", "2026-01-10T10"],
        ["channel-recovered", "channel-resting/2026-01-10T09"],
      ])
        await sql`insert into alerts (account, kind, subject, period, id, at, severity, summary, details, open)
          values ('', ${kind}, 'main', ${period}, ${kind}, ${at}, 'warning', '', '{}', 0)`.execute(db);
    });
    await using books = await openBooks(address, log);
    const alerts = await readAlerts(books, { limit: 9 });
    expect(alerts.map(({ kind, period }) => `${kind} ${period}`).toSorted()).toEqual([
      "channel-cooldown 2026-01-10T10",
      "channel-recovered channel-cooldown/2026-01-10T09",
    ]);
    expect(await readAlertTargets(books)).toEqual([{ ...target, alerts: ["budget", "channel-cooldown"] }]);
  });

  test("books of the version without accounts: an account is known by its credits and its latest receipt", async () => {
    const head = "76543210f0e1d2c3b4a5968778695a4b3c2d1e0f";
    const address = await booksOf("0003-failed-calls", async (db) => {
      await sql`insert into accounts (account, receipts, head, balance) values ('acme', 7, ${head}, 93)`.execute(db);
      for (const [operation, nanos] of [
        ["opening", 90],
        ["top-up", 10],
      ] as const)
        await sql`insert into credits values ('acme', ${operation}, ${at}, 'top-up', ${nanos}, '{}')`.execute(db);
    });
    await using books = await openBooks(address, log);
    const expected = {
      id: "acme",
      createdAt: "",
      receipts: 7,
      head,
      balanceNanos: 93n,
      creditedNanos: 100n,
      isComplete: true,
    };
    expect(await findAccounts(books, ["acme"])).toMatchObject([expected]);
    const receipt = { number: 8, previous: head, balanceNanos: "92", hash: "0123456789abcdef" };
    await recordCalls(books, [callOf("next", { receipt })]);
    expect(await findAccounts(books, ["acme"])).toMatchObject([{ receipts: 8, isComplete: true, balanceNanos: 92n }]);
  });

  test("books of the version before ids: an existing call is stored once, regardless of its event's time, and is found by its ids", async () => {
    const old = callOf("old", { requestId: "ours", upstreamRequestId: "theirs" });
    const address = await booksOf("0011-operators", async (db) => {
      await insertCall(db, old, at);
      await insertCall(db, old, at + 1); // earlier versions may have stored a call twice
      await sql`insert into call_labels values ('acme', ${at}, 'old', 'upstreamRequest', 'theirs')`.execute(db);
      await sql`insert into tasks values ('acme', 'task-1', ${at}, 'completed', 'm', 'c', '{}')`.execute(db);
    });
    await using books = await openBooks(address, log);
    expect(await recordCalls(books, [{ ...old, time: "2026-01-10T23:00:00.000Z" }])).toEqual([]);
    expect(await hasCall(books, old)).toBe(true);
    const ever = { from: 0, to: Number.MAX_SAFE_INTEGER };
    for (const requestId of ["ours", "theirs"]) {
      const { events } = await readCalls(books, { ...ever, requestId }, { order: "newest first", limit: 5 });
      expect(events, requestId).toEqual([old]);
    }
    // The books have no record of the task, so it cannot be restored.
    expect(await readFetchableTasks(books, { nowMs: 1, limit: 5 })).toEqual([]);
  });

  test("books of the version before the audit was a chain: its entries are chained in the order of their times", async () => {
    const address = await booksOf("0016-daily-tags", async (db) => {
      await insertCall(db, callOf("old", { tokenId: "t", model: "m", channelId: "c" }), at);
      for (const id of ["second", "first"])
        await sql`insert into audit values ('acme', ${id === "first" ? 1 : 2}, ${id}, 'Ada', 'x', 'null', 'null')`.execute(
          db,
        );
    });
    await using books = await openBooks(address, log);
    expect(await verifyAudit(books, [])).toMatchObject({ head: { number: 2 } });
    expect(await verifyAudit(books, [])).not.toHaveProperty("message");
    await bookAccount(books, { id: "new", name: "new", createdAt: "2026-01-10T10:00:00Z" }, "Ada");
    expect(await verifyAudit(books, [])).toMatchObject({ head: { number: 3 } });
    const { rows } = await sql`select id from audit where number < 3 order by number`.execute(books.db);
    expect(rows).toEqual([{ id: "first" }, { id: "second" }]);
    // Totals of days before the first stored calls are not compared with calls.
    const day = { account: "acme", token: "t", model: "m", channel: "c", outcome: "completed", calls: 1, cost: 1n };
    for (const table of ["hourly_totals", "daily_totals"] as const) {
      await books.db
        .insertInto(table)
        .values({ ...day, period: Date.parse("2026-01-09") })
        .execute();
      await books.db
        .insertInto(table)
        .values({ ...day, period: table === "daily_totals" ? Date.parse("2026-01-10") : at })
        .execute();
    }
    expect(await verifyTotals(books, "acme")).toBeUndefined();
  });

  test("a unit that is added to the contracts gets its column; existing sums are kept", async () => {
    const address = await engine.address();
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
  const sockets: Socket[] = [];
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    sockets.push(client, server);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const address = relay.address();
  const relayed = url.replace(`${hostname}:${port}`, `127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  const db = new Kysely<Tables>({ dialect: postgresDialect(relayed, () => undefined, 100) });
  const inTransaction = db.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction);
    for (const socket of sockets) socket.unpipe().resume();
    await sql`select 1`.execute(transaction);
  });
  expect(isUnavailable(await inTransaction.catch((error: unknown) => error))).toBe(true);
  await db.destroy();
  for (const socket of sockets) socket.destroy();
  relay.close();
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
    const address = await engine.address();
    await (await openBooks(address, log))[Symbol.asyncDispose]();
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
      process.getuid?.() === 0 ? await unprivileged(() => refusal("", file)) : await refusal("", file);
    expect(refusalText).toMatch(/read-only|cannot be opened/);
  });

  test("a server that does not answer is not reported as a wrong address: it may answer later", async () => {
    await expect(openBooks({ url: "postgres://modelgate:hidden@127.0.0.1:1/books", file: "" }, log)).rejects.toThrow(
      BooksUnavailable,
    );
  });
});

/** Runs a function without privileges, because root may write to read-only files. */
async function unprivileged<T>(run: () => Promise<T>): Promise<T> {
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

function raise(message: string): never {
  throw new Error(message);
}
