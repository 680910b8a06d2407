import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CreditEvent, StoredTaskEvent, Receipt, TaskState, UsageEvent } from "@modelgate/contracts";
import {
  acceptMissingReceipts,
  correctHead,
  findBranches,
  readBrokenChains,
  findAccounts,
  readFetchableTasks,
  markRefunded,
  findNewestChain,
  readReceipts,
  readTotals,
  recordCalls,
  recordCredits,
  readTasks,
  recordTasks,
  readSettlementsToRefund,
  reinstateReceipts,
  type BookedAccount,
  type Books,
} from "../src/index.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

/** Returns a hash that is derived from a word. Different words have different links. */
const hashOf = (word: string): string => Buffer.from(word).toString("hex").padEnd(40, "0");

/** Returns a receipt whose hashes are derived from words. */
function receiptOf(word: string, previous: string, number: number, replaces?: string): Receipt {
  const plainReceipt = { number, previous: previous && hashOf(previous), hash: hashOf(word), balanceNanos: "0" };
  return replaces === undefined ? plainReceipt : { ...plainReceipt, replaces: hashOf(replaces) };
}

const settled = (id: string, receipt: Receipt, more: Partial<UsageEvent> = {}): UsageEvent =>
  callOf(id, { receipt, ...more });

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  async function acme(books: Books): Promise<BookedAccount> {
    const [found] = await findAccounts(books, ["acme"]);
    return found ?? expect.unreachable("the account is not in the books");
  }

  /** Returns the ids and receipt numbers of all settlements of the account. */
  async function chained(books: Books): Promise<readonly string[]> {
    const entriesFound: string[] = [];
    for await (const entries of readReceipts(books, "acme"))
      for (const entry of entries) if ("costNanos" in entry) entriesFound.push(`${entry.id} ${entry.receipt?.number}`);
    return entriesFound.toSorted();
  }

  test("a call is in the books once by its id, regardless of its event's day, and counts once", async () => {
    await using books = await newBooks(engine);
    const first = settled("x", receiptOf("a", "", 1));
    expect(await recordCalls(books, [first])).toEqual([first]);
    const later = { ...first, time: "2026-01-12T10:00:00.000Z" };
    expect(await recordCalls(books, [later, first])).toEqual([]);
    expect(await recordCalls(books, [settled("x", receiptOf("a", "", 1), { accountId: "other" })])).toHaveLength(1);
    const [total] = await readTotals(books, { from: 0, to: Date.parse("2027-01-01"), account: "acme", groupBy: [] });
    expect(total?.sums["calls"]).toBe("1");
  });

  test("Redis is behind: settlements that it does not have are found, and a new charge replaces each", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [
      settled("kept", receiptOf("a", "", 1)),
      settled("lost one", receiptOf("b", "a", 2)),
      settled("lost two", receiptOf("c", "b", 3)),
    ]);
    expect(await acme(books)).toMatchObject({ isComplete: true, receipts: 3 });
    // Redis continues the chain after `a`, with a receipt number that a lost receipt had.
    await recordCalls(books, [settled("after", receiptOf("d", "a", 2))]);
    expect(await readBrokenChains(books, 10)).toEqual(["acme"]);
    const branches = await findBranches(books, await acme(books), hashOf("d"));
    expect(branches).toMatchObject({ isComplete: true, orphans: [{ id: "lost one" }, { id: "lost two" }] });
    const again = [settled("lost one", receiptOf("e", "d", 3, "b")), settled("lost two", receiptOf("f", "e", 4, "c"))];
    await recordCalls(books, again);
    await recordCalls(books, [settled("lost one", receiptOf("b", "a", 2)), ...again]);
    expect(await acme(books)).toMatchObject({ isComplete: true, receipts: 4, head: hashOf("f") });
    expect(await chained(books)).toEqual(["after 2", "kept 1", "lost one 3", "lost two 4"]);
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
  });

  test("Redis was empty: a new charge replaces a receipt with a higher number", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [settled("x", receiptOf("b", "opening", 2))]);
    await recordCalls(books, [settled("x", receiptOf("c", "", 1, "b"))]);
    expect(await acme(books)).toMatchObject({ isComplete: true, receipts: 1, head: hashOf("c") });
    expect(await chained(books)).toEqual(["x 1"]);
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
  });

  test("the last receipt of an account is corrected only to the end of a complete chain", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [settled("x", receiptOf("b", "opening", 3)), settled("y", receiptOf("d", "c", 2))]);
    await recordCalls(books, [settled("x", receiptOf("c", "", 1, "b"))]);
    expect(await acme(books)).toMatchObject({ isComplete: false, head: hashOf("c") });
    await correctHead(books, "acme", receiptOf("e", "d", 3));
    expect(await acme(books)).toMatchObject({ isComplete: false, head: hashOf("c") });
    await correctHead(books, "acme", receiptOf("d", "c", 2));
    expect(await acme(books)).toMatchObject({ isComplete: true, receipts: 2, head: hashOf("d") });
  });

  test("a permanent gap is accepted once, and opens again when its receipt arrives", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [settled("x", receiptOf("b", "a", 2))]);
    const before = await acme(books);
    await recordCalls(books, [settled("y", receiptOf("c", "b", 3))]);
    await acceptMissingReceipts(books, before); // the account has changed
    expect(await acme(books)).toMatchObject({ isComplete: false });
    const after = await acme(books);
    // Two ledgers accept the same gap.
    await acceptMissingReceipts(books, after);
    await acceptMissingReceipts(books, after);
    expect(await acme(books)).toMatchObject({ isComplete: true, offset: 0 });
    await recordCalls(books, [settled("z", receiptOf("a", "", 1))]);
    expect(await acme(books)).toMatchObject({ isComplete: false });
  });

  test("a new charge that two transactions record at the same time replaces the receipt once", async () => {
    await using books = await newBooks(engine);
    const ids = Array.from({ length: 30 }, (_, at) => `call ${at}`);
    await recordCalls(
      books,
      ids.map((id, at) => settled(id, receiptOf(`old ${at}`, at === 0 ? "" : `old ${at - 1}`, at + 1))),
    );
    for (const [at, id] of ids.entries()) {
      const again = settled(id, receiptOf(`new ${at}`, at === 0 ? "" : `new ${at - 1}`, at + 100, `old ${at}`));
      await Promise.all([recordCalls(books, [again]), recordCalls(books, [again])]);
    }
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
    expect(await chained(books)).toEqual(ids.map((id, at) => `${id} ${at + 100}`).toSorted());
  });

  test("Redis is empty: the longest known chain is found, and the settlements outside it", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [
      settled("one", receiptOf("a", "", 1)),
      settled("lost", receiptOf("b", "a", 2)),
      settled("two", receiptOf("c", "a", 2)),
      settled("three", receiptOf("d", "c", 3)),
    ]);
    expect(await findNewestChain(books, await acme(books))).toMatchObject({
      head: { hash: hashOf("d") },
      orphans: [{ id: "lost" }],
      isComplete: true,
    });
    expect(await findBranches(books, await acme(books), hashOf("unknown"))).toBeUndefined();
  });

  test("a call that Redis settled twice is in the chain twice, counts once, and is refunded once", async () => {
    await using books = await newBooks(engine);
    const second = settled("x", receiptOf("c", "b", 2), { costNanos: "5" });
    await recordCalls(books, [
      settled("x", receiptOf("a", "", 1), { costNanos: "7" }),
      settled("y", receiptOf("b", "", 1)),
    ]);
    expect(await recordCalls(books, [second, second])).toEqual([]);
    const [total] = await readTotals(books, { from: 0, to: Date.parse("2027-01-01"), groupBy: [] });
    expect(total?.sums).toMatchObject({ calls: "2", costNanos: "8" });
    // Redis has lost the first settlement, so it is charged again.
    const branches = await findBranches(books, await acme(books), hashOf("c"));
    expect(branches?.orphans).toMatchObject([{ id: "x", costNanos: "7" }]);
    await recordCalls(books, [settled("x", receiptOf("d", "c", 3, "a"), { costNanos: "7" })]);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("d") });
    expect(await chained(books)).toEqual(["x 2", "x 3", "y 1"]);
    const unrefunded = await readSettlementsToRefund(books, "acme");
    expect(unrefunded).toMatchObject([{ event: { id: "x", costNanos: "5" } }]);
    // Redis loses both settlements before the refund: they are charged again, and one refund is still due.
    await recordCalls(books, [
      settled("x", receiptOf("e", "b", 4, "c"), { costNanos: "5" }),
      settled("x", receiptOf("f", "e", 5, "d"), { costNanos: "7" }),
    ]);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("f") });
    expect(await readSettlementsToRefund(books, "acme")).toMatchObject([{ operation: unrefunded[0]?.operation }]);
    for (const settlement of unrefunded) await markRefunded(books, settlement);
    await recordCalls(books, [second]);
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
  });

  test("Redis was reset to a later state: a replaced receipt is reinstated, with those before it", async () => {
    await using books = await newBooks(engine);
    const events = [settled("x", receiptOf("b", "a", 2)), settled("y", receiptOf("c", "b", 3))];
    const again = [settled("x", receiptOf("d", "a", 2, "b")), settled("y", receiptOf("e", "d", 3, "c"))];
    await recordCalls(books, [settled("w", receiptOf("a", "", 1)), ...events]);
    await recordCalls(books, again);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("e") });
    expect(await reinstateReceipts(books, "acme", hashOf("c"))).toBe(2);
    expect(await reinstateReceipts(books, "acme", hashOf("c"))).toBe(0);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("c") });
    await recordCalls(books, [...events, ...again]);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("c") });
    expect(await reinstateReceipts(books, "acme", hashOf("e"))).toBe(2);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("e") });
    expect(await chained(books)).toEqual(["w 1", "x 2", "y 3"]);
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
  });

  test("a call and a credit whose operation has the call's id are both reinstated", async () => {
    await using books = await newBooks(engine);
    const credit = (receipt: Receipt): CreditEvent => ({
      id: "acme.x",
      time: "2026-01-10T10:00:00.000Z",
      accountId: "acme",
      operationId: "x",
      kind: "top-up",
      nanos: "1",
      reason: "test",
      receipt,
    });
    await recordCalls(books, [settled("x", receiptOf("a", "", 1))]);
    await recordCredits(books, [credit(receiptOf("b", "a", 2))]);
    await recordCalls(books, [settled("x", receiptOf("c", "", 1, "a"))]);
    await recordCredits(books, [credit(receiptOf("d", "c", 2, "b"))]);
    for (const head of ["b", "d"]) {
      expect(await reinstateReceipts(books, "acme", hashOf(head))).toBe(2);
      expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf(head) });
    }
    expect(await chained(books)).toEqual(["x 1"]);
  });

  test("a reinstated second settlement is refunded only once", async () => {
    await using books = await newBooks(engine);
    await recordCalls(books, [settled("x", receiptOf("a", "", 1))]);
    await recordCalls(books, [settled("x", receiptOf("b", "a", 2))]);
    const [settlement] = await readSettlementsToRefund(books, "acme");
    await recordCalls(books, [settled("x", receiptOf("c", "a", 2, "b"))]);
    expect(await reinstateReceipts(books, "acme", hashOf("b"))).toBe(1);
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("b") });
    expect(await chained(books)).toEqual(["x 1", "x 2"]);
    const [unrefunded] = await readSettlementsToRefund(books, "acme");
    expect(unrefunded).toEqual(settlement);
    await markRefunded(books, unrefunded ?? expect.unreachable());
    expect(await reinstateReceipts(books, "acme", hashOf("c"))).toBe(1);
    expect(await readSettlementsToRefund(books, "acme")).toEqual([]);
    // The receipts of the two settlements are separate.
    await recordCalls(books, [settled("x", receiptOf("d", "c", 3, "a"))]);
    expect(await reinstateReceipts(books, "acme", hashOf("a"))).toBe(1);
    expect(await chained(books)).toEqual(["x 1", "x 2"]);
    await correctHead(books, "acme", receiptOf("c", "a", 2));
    expect(await acme(books)).toMatchObject({ isComplete: true, head: hashOf("c") });
  });

  const task = (id: string, state: TaskState, untilMs = 2_000): StoredTaskEvent => ({
    id: `${id}.${state}`,
    time: "2026-01-10T10:00:00.000Z",
    taskId: id,
    accountId: "acme",
    tokenId: "t",
    model: "m",
    channelId: "c",
    state,
    previousState: null,
    progress: 0,
    record: { encrypted: `${id} ${state}`, untilMs },
  });

  test("a task is in the books from its first event on, with its latest state, in any order of events", async () => {
    await using books = await newBooks(engine);
    await recordTasks(books, [task("one", "in_progress"), task("two", "queued"), task("one", "queued")]);
    await recordTasks(books, [task("one", "queued"), task("two", "failed"), task("two", "in_progress")]);
    await recordTasks(books, [task("two", "completed"), task("over", "completed", 500)]);
    const first = await readFetchableTasks(books, { nowMs: 1_000, limit: 1 });
    expect(first).toEqual([
      { account: "acme", task: "one", record: "one in_progress", untilMs: 2_000, isDeleted: false },
    ]);
    expect(await readFetchableTasks(books, { nowMs: 1_000, after: first[0], limit: 5 })).toMatchObject([
      { task: "two", record: "two failed" },
    ]);
  });

  test.each([
    ["after the other events", (end: StoredTaskEvent, deletion: StoredTaskEvent) => [[end], [deletion]]],
    ["before them", (end: StoredTaskEvent, deletion: StoredTaskEvent) => [[deletion], [end]]],
    ["with them", (end: StoredTaskEvent, deletion: StoredTaskEvent) => [[end, deletion], [end]]],
  ])("a deletion that arrives %s erases the task's record", async (_, batchesOf) => {
    await using books = await newBooks(engine);
    const end = task("one", "completed");
    const deletion: StoredTaskEvent = {
      ...end,
      id: "one.deleted",
      deleted: true,
      record: { encrypted: "", untilMs: 2_000 },
    };
    await recordTasks(books, [task("one", "queued")]);
    for (const events of batchesOf(end, deletion)) await recordTasks(books, events);
    expect(await readFetchableTasks(books, { nowMs: 1_000, limit: 5 })).toEqual([
      { account: "acme", task: "one", record: "", untilMs: 2_000, isDeleted: true },
    ]);
    expect((await readTasks(books, { state: "completed" }, { limit: 5 })).tasks).toMatchObject([{ deleted: true }]);
  });
});
