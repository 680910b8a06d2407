import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addMovedTotals,
  bookAccount,
  bookOperator,
  deleteOldCalls,
  createAnchorSigner,
  readAnchor,
  readAnchors,
  recordCalls,
  signAnchorsAgain,
  storeFirstAnchors,
  storeAnchor,
  verifyAudit,
  verifyTotals,
  type Books,
} from "../src/index.ts";
import { chainLateAudit } from "../src/accounts/audit-chain.ts";
import { changedAfterReading, callOf, engines, newBooks, type TestEngine } from "./engines.ts";

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  /** Sets the time of the migrations before the calls, because units of older calls are not compared. */
  const migratedBefore = (books: Books) =>
    sql`update kysely_migration set timestamp = '2026-01-01T00:00:00.000Z'`.execute(books.db);

  async function withCalls(): Promise<Books> {
    const books = await newBooks(engine);
    await migratedBefore(books);
    await recordCalls(books, [
      callOf("one", { units: { inputTokens: 5, seconds: 1.2345, requests: 1 } }),
      callOf("two", { units: { inputTokens: 7 }, time: "2026-01-10T11:00:00.000Z" }),
      callOf("three", { costNanos: "9", time: "2026-01-12T11:00:00.000Z" }),
      callOf("other", { accountId: "other" }),
    ]);
    return books;
  }

  test.each<[string, string, RegExp]>([
    ["a call is deleted", "delete from calls where id = 'three'", /the hour 2026-01-12T11:00:00.000Z are not the sum/],
    ["an hour's cost is changed", "update hourly_totals set cost = 8 where cost = 9", /the hour 2026-01-12T11/],
    ["an hour's calls are changed", "update hourly_totals set calls = 2 where cost = 9", /the hour 2026-01-12T11/],
    ["an hour's model is changed", "update hourly_totals set model = 'x' where cost = 9", /the hour 2026-01-12T11/],
    [
      "an hour is hidden as moved",
      "update hourly_totals set outcome = 'unknown' where cost = 9",
      /the hour 2026-01-12T11/,
    ],
    ["an hour's tokens are changed", `update hourly_totals set "inputTokens" = 6 where account = 'acme'`, /units in/],
    ["a day's tokens are changed", `update daily_totals set "inputTokens" = 6`, /the day 2026-01-10T00/],
    ["a day is deleted", "delete from daily_totals where cost = 9", /the day 2026-01-12T00/],
    ["a call's column is changed", "update calls set model = 'x' where id = 'two'", /columns of call two/],
    ["a call's cost is changed", "update calls set cost = 2 where id = 'two'", /columns of call two/],
  ])("%s: the totals differ from the sum of the calls", async (_, change, message) => {
    await using books = await withCalls();
    expect(await verifyTotals(books, "acme")).toBeUndefined();
    await sql.raw(change).execute(books.db);
    expect(await verifyTotals(books, "acme")).toMatch(message);
  });

  test("days whose calls were deleted, and days that were moved from Redis, are checked by their totals only", async () => {
    await using books = await withCalls();
    await deleteOldCalls(books, 1, Date.parse("2026-01-12T12:00:00Z"));
    const sums = new Map([
      ["calls", 3n],
      ["costNanos", 3n],
    ]);
    await addMovedTotals(books, "acme", Date.parse("2026-01-12"), [{ token: "t", model: "m", channel: "c", sums }]);
    expect(await verifyTotals(books, "acme")).toBeUndefined();
    // Deleted calls are not reported as missing after the retention period becomes longer.
    await deleteOldCalls(books, 400, Date.parse("2026-01-12T12:00:00Z"));
    expect(await verifyTotals(books, "acme")).toBeUndefined();
  });

  /** Creates books whose audit has three entries. */
  async function audited(): Promise<Books> {
    const books = await newBooks(engine);
    const act = { account: "", actor: "Ada", action: "operator.create", after: {} } as const;
    for (const name of ["one", "two", "three"]) await bookOperator(books, { name, record: {} }, act);
    return books;
  }

  test.each<[string, string, string]>([
    ["changed", "update audit set actor = 'Eve' where number = 2", "entry 2 was altered"],
    ["deleted", "delete from audit where number = 2", "entry 2 is missing"],
    ["deleted at the end", "delete from audit where number = 3", "entry 3 is missing"],
    [
      "put in",
      `insert into audit values ('acme', 1, 'x', 'Eve', 'credit.top-up', 'null', 'null', 0, '')`,
      "entries were inserted outside its chain: 1",
    ],
  ])("an entry of the audit that is %s is found", async (_, change, message) => {
    await using books = await audited();
    expect(await verifyAudit(books, [])).toMatchObject({ head: { number: 3 } });
    await sql.raw(change).execute(books.db);
    expect(await verifyAudit(books, [])).toMatchObject({ message });
  });

  test("an audit whose end is cut off with its head is found by an anchor", async () => {
    await using books = await audited();
    const { head } = await verifyAudit(books, []);
    await sql`delete from audit where number = 3`.execute(books.db);
    await sql`update marks set value = (select '2 ' || hash from audit where number = 2) where name = 'audit-head'`.execute(
      books.db,
    );
    expect(await verifyAudit(books, [])).not.toHaveProperty("message");
    expect(await verifyAudit(books, [head])).toMatchObject({
      message: "it ends at entry 2, but entry 3 was signed: the end is missing",
    });
    await bookOperator(
      books,
      { name: "four", record: {} },
      { account: "", actor: "Eve", action: "operator.create", after: {} },
    );
    expect(await verifyAudit(books, [head])).toMatchObject({ message: "entry 3 is not the one that was signed" });
  });

  test("entries of an earlier version during an upgrade are chained, and none later", async () => {
    await using books = await audited();
    const insert = (at: number) =>
      sql`insert into audit values ('acme', ${at}, ${`at ${at}`}, 'Ada', 'x', 'null', 'null', 0, '')`.execute(books.db);
    await insert(Date.now());
    await chainLateAudit(books, Date.now());
    expect(await verifyAudit(books, [])).toMatchObject({ head: { number: 4 } });
    await insert(Date.now());
    await migratedBefore(books);
    await chainLateAudit(books, Date.now());
    expect(await verifyAudit(books, [])).toHaveProperty("message");
  });

  test("anchors: signed with the current secret, valid for each accepted one, and never replaced by an earlier one", async () => {
    await using books = await newBooks(engine);
    const [old, both] = [createAnchorSigner(["old"]), createAnchorSigner(["new", "old"])];
    const bare = { account: "acme", number: 7, head: "h", balanceNanos: "5", createdAt: "c" };
    const anchor = old.sign({ ...bare, time: "2026-01-10T10:00:00.000Z" });
    await storeAnchor(books, anchor);
    expect(await readAnchor(books, "acme")).toEqual(anchor);
    expect([both.isGenuine(anchor), both.isCurrent(anchor), old.isCurrent(anchor)]).toEqual([true, false, true]);
    expect(createAnchorSigner(["other"]).isGenuine(anchor)).toBe(false);
    for (const change of [{ number: 6 }, { balanceNanos: "6" }, { createdAt: "d" }, { signature: "" }])
      expect(old.isGenuine({ ...anchor, ...change })).toBe(false);
    await storeAnchor(books, both.sign({ ...anchor, number: 6 }));
    expect(await readAnchor(books, "acme")).toEqual(anchor);
  });

  test("genuine anchors of another secret are signed again, page by page, with the values that were stored meanwhile", async () => {
    await using books = await newBooks(engine);
    const [old, both] = [createAnchorSigner(["old"]), createAnchorSigner(["new", "old"])];
    const anchorOf = (at: number) => ({
      account: `account-${String(at).padStart(4, "0")}`,
      number: 7,
      head: "h",
      balanceNanos: "5",
      createdAt: "c",
      time: "2026-01-10T10:00:00.000Z",
    });
    const anchors = Array.from({ length: 520 }, (_, at) => old.sign(anchorOf(at)));
    const current = both.sign(anchorOf(520));
    const forged = createAnchorSigner(["other"]).sign(anchorOf(521));
    const rows = anchors.map(({ balanceNanos: balance, createdAt: created, time, ...rest }) => ({
      ...rest,
      balance,
      created,
      at: Date.parse(time),
    }));
    await books.db.insertInto("anchors").values(rows).execute();
    for (const anchor of [current, forged]) await storeAnchor(books, anchor);
    // Another ledger stores a higher number between the reading of the page and the signing.
    const higher = old.sign({ ...anchorOf(3), number: 8 });
    const changing = changedAfterReading(books, 1, () => storeAnchor(books, higher));
    expect(await signAnchorsAgain(changing, both)).toEqual({
      replaced: 520,
      unreadable: 1,
      examples: [forged.account],
    });
    expect(await signAnchorsAgain(books, both)).toMatchObject({ replaced: 0, unreadable: 1 });
    const fresh = createAnchorSigner(["new"]);
    const after = [...(await readAnchors(books, undefined, 500)), ...(await readAnchors(books, "account-0499", 500))];
    expect(after.filter((anchor) => fresh.isGenuine(anchor))).toEqual([
      ...anchors.with(3, higher).map((anchor) => fresh.sign(anchor)),
      current,
    ]);
    expect(after.at(-1)).toEqual(forged);
  });

  test("the first anchors are stored once, for accounts whose chain is complete", async () => {
    await using books = await newBooks(engine);
    const signer = createAnchorSigner(["secret"]);
    const time = "2026-01-10T10:00:00.000Z";
    for (const id of ["acme", "broken"]) await bookAccount(books, { id, name: id, createdAt: time }, "Ada");
    const receipt = { number: 1, previous: "", balanceNanos: "5", hash: "a".repeat(40) };
    await recordCalls(books, [
      callOf("one", { receipt }),
      callOf("two", { accountId: "broken", receipt: { ...receipt, number: 2, previous: "b".repeat(40) } }),
    ]);
    await storeFirstAnchors(books, signer);
    expect(await readAnchor(books, "acme")).toMatchObject({
      number: 1,
      head: receipt.hash,
      balanceNanos: "5",
      createdAt: time,
    });
    expect(await readAnchor(books, "broken")).toBeUndefined();
    await recordCalls(books, [
      callOf("three", { receipt: { ...receipt, number: 2, previous: receipt.hash, hash: "c".repeat(40) } }),
    ]);
    await storeFirstAnchors(books, signer);
    expect(await readAnchor(books, "acme")).toMatchObject({ number: 1 });
  });
});
