import { type Kysely, sql } from "kysely";
import { expect } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import {
  bookAccount,
  findAccounts,
  hasCall,
  readAlerts,
  readAlertTargets,
  readCalls,
  readFetchableTasks,
  readFirstByteTimes,
  readTotals,
  recordCalls,
  saveConfiguration,
  verifyAudit,
  verifyTotals,
  type Books,
} from "../src/index.ts";
import type { migrations } from "../src/migrations/index.ts";
import type { Tables } from "../src/schema.ts";
import { callOf, newBooks } from "./engines.ts";

/** Data of one version, in a separate account, and what the current version reads. */
export interface FormerVersion {
  readonly title: string;
  /** Last migration of the version. */
  readonly last: keyof typeof migrations;
  fill(db: Kysely<Tables>, kind: Books["engine"]): Promise<void>;
  check(books: Books): Promise<void>;
}

const at = Date.parse("2026-01-10T10:00:00Z");
const dayMs = 86_400_000;
/** Day of most data. */
export const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };
const twoDays = { ...day, to: day.to + dayMs };
const allTime = { from: 0, to: Number.MAX_SAFE_INTEGER };
const head = "76543210f0e1d2c3b4a5968778695a4b3c2d1e0f";
const failedCall = callOf("failed", { accountId: "failing", status: 500, outcome: "failed" });
const callWithTwoIds = callOf("twice", { accountId: "ids", requestId: "ours", upstreamRequestId: "theirs" });
const target = { id: "trg", account: "", kind: "webhook", name: "Ops", address: "hook.test", createdAt: "" } as const;

const insertCall = (db: Kysely<Tables>, event: UsageEvent, time = at) =>
  sql`insert into calls values (${event.accountId}, ${time}, ${event.id}, ${event.requestId}, 't', 'm', 'c', ${event.outcome},
    ${event.status}, 1, ${JSON.stringify(event)})`.execute(db);

const tagged = (id: string, firstByteMs: number, tags: Record<string, string>, more: object = {}) =>
  callOf(id, { accountId: "tags", model: "tagged", firstByteMs, tags, units: { inputTokens: 7 }, ...more });
const taggedCalls = [
  tagged("one", 100, { squad: "a", feature: "chat" }),
  tagged("two", 900, { squad: "a" }, { accountId: "more tags" }),
  tagged("three", 300, { squad: "b" }, { time: "2026-01-11T10:00:00.000Z" }),
  tagged("four", 9_000, { squad: "b" }, { outcome: "failed", costNanos: "5" }),
  tagged("plain", 50, {}),
];

/** Versions in their order. Books of each are filled, migrated to the next version, and so on to the current one. */
export const versions: readonly FormerVersion[] = [
  {
    title: "before tags: calls and totals are kept, and tags are accepted",
    last: "0001-calls",
    async fill(db) {
      await insertCall(db, callOf("old"));
      const row = { account: "acme", token: "t", model: "m", channel: "c", outcome: "completed", calls: 1, cost: 1n };
      for (const table of ["hourly_totals", "daily_totals"] as const)
        await db
          .insertInto(table)
          .values({ ...row, period: day.from })
          .execute();
    },
    async check(books) {
      await recordCalls(books, [callOf("new", { tags: { team: "search" } })]);
      const { events } = await readCalls(books, { ...allTime, account: "acme" }, { order: "oldest first", limit: 10 });
      expect(events.map(({ id }) => id)).toEqual(["new", "old"]);
      expect(await readTotals(books, { ...twoDays, account: "acme", groupBy: ["tag:team"] })).toEqual([
        { by: { "tag:team": "" }, sums: { calls: "1", costNanos: "1" } },
        { by: { "tag:team": "search" }, sums: { calls: "1", costNanos: "1" } },
      ]);
    },
  },
  {
    title: "before the index of failed calls: they are found by status and by outcome",
    last: "0002-labels",
    async fill(db) {
      await insertCall(db, callOf("well", { accountId: "failing" }));
      await insertCall(db, failedCall);
    },
    async check(books) {
      for (const filter of [{ status: 500 }, { outcome: "failed" as const }]) {
        const query = { ...allTime, account: "failing", ...filter };
        expect((await readCalls(books, query, { order: "newest first", limit: 5 })).events).toEqual([failedCall]);
      }
    },
  },
  {
    title: "without accounts: an account is known by its credits and its latest receipt",
    last: "0003-failed-calls",
    async fill(db) {
      await sql`insert into accounts (account, receipts, head, balance) values ('wallet', 7, ${head}, 93)`.execute(db);
      for (const [operation, nanos] of [
        ["opening", 90],
        ["top-up", 10],
      ] as const)
        await sql`insert into credits values ('wallet', ${operation}, ${at}, 'top-up', ${nanos}, '{}')`.execute(db);
    },
    async check(books) {
      const sums = { balanceNanos: 93n, creditedNanos: 100n, isComplete: true };
      expect(await findAccounts(books, ["wallet"])).toMatchObject([
        { id: "wallet", createdAt: "", receipts: 7, head, ...sums },
      ]);
      const receipt = { number: 8, previous: head, balanceNanos: "92", hash: "0123456789abcdef" };
      await recordCalls(books, [callOf("next", { accountId: "wallet", receipt })]);
      expect(await findAccounts(books, ["wallet"])).toMatchObject([
        { receipts: 8, isComplete: true, balanceNanos: 92n },
      ]);
    },
  },
  {
    title: "before operators: marks are kept, and a configuration is accepted",
    last: "0010-accounts",
    async fill(db) {
      await db.insertInto("marks").values({ name: "epoch", value: "kept" }).execute();
    },
    async check(books) {
      expect(await books.db.selectFrom("marks").select("value").execute()).toContainEqual({ value: "kept" });
      const first = { document: "groups: {}", note: "", keys: [], basedOn: 0 };
      expect(await saveConfiguration(books, first, "ada")).toMatchObject({ version: 1 });
    },
  },
  {
    title: "before ids: a call is stored once, regardless of its event's time, and is found by its ids",
    last: "0011-operators",
    async fill(db) {
      await insertCall(db, callWithTwoIds);
      await insertCall(db, callWithTwoIds, at + 1); // earlier versions may have stored a call twice
      await sql`insert into call_labels values ('ids', ${at}, 'twice', 'upstreamRequest', 'theirs')`.execute(db);
      await sql`insert into tasks values ('ids', 'task-1', ${at}, 'completed', 'm', 'c', '{}')`.execute(db);
    },
    async check(books) {
      expect(await recordCalls(books, [{ ...callWithTwoIds, time: "2026-01-10T23:00:00.000Z" }])).toEqual([]);
      expect(await hasCall(books, callWithTwoIds)).toBe(true);
      for (const requestId of ["ours", "theirs"]) {
        const { events } = await readCalls(books, { ...allTime, requestId }, { order: "newest first", limit: 5 });
        expect(events, requestId).toEqual([callWithTwoIds]);
      }
      // The books have no record of the task, so it cannot be restored.
      expect(await readFetchableTasks(books, { nowMs: 1, limit: 5 })).toEqual([]);
    },
  },
  {
    title: "before counts of times to the first byte and totals of tags: all calls are counted",
    last: "0013-task-records",
    async fill(db, kind) {
      await using current = await newBooks({ kind });
      await recordCalls(current, taggedCalls);
      for (const table of ["calls", "call_ids", "call_labels", "hourly_totals", "daily_totals", "labelled_totals"])
        await copyTable(current.db, db, table);
    },
    async check(books) {
      await using expected = await newBooks({ kind: books.engine });
      await recordCalls(expected, taggedCalls);
      for (const [calls, by, model] of [
        [4, ["model"], "tagged"],
        [4, ["channel", "hour"], "tagged"],
        [3, ["tag:squad"], undefined],
        [3, ["tag:squad", "day"], undefined],
      ] as const) {
        const query = { ...twoDays, model, by };
        const times = await readFirstByteTimes(expected, query);
        expect(times.reduce((sum, each) => sum + each.calls, 0)).toBe(calls);
        expect(await readFirstByteTimes(books, query)).toEqual(times);
      }
      for (const account of ["tags", "more tags"]) {
        const query = { ...twoDays, account, groupBy: ["tag:squad", "outcome"] } as const;
        const totals = await readTotals(expected, query);
        expect(totals).not.toEqual([]);
        expect(await readTotals(books, query)).toEqual(totals);
      }
    },
  },
  {
    title: "before the audit was a chain: its entries are chained in the order of their times",
    last: "0016-daily-tags",
    async fill(db) {
      await insertCall(db, callOf("old", { accountId: "audited", tokenId: "t", model: "m", channelId: "c" }));
      for (const [time, id] of [
        [2, "second"],
        [1, "first"],
      ])
        await sql`insert into audit values ('audited', ${time}, ${id}, 'Ada', 'x', 'null', 'null')`.execute(db);
    },
    async check(books) {
      const { head: before } = await verifyAudit(books, []);
      const { rows } = await sql`select id from audit where number < 3 order by number`.execute(books.db);
      expect(rows).toEqual([{ id: "first" }, { id: "second" }]);
      await bookAccount(books, { id: "new", name: "new", createdAt: "2026-01-10T10:00:00Z" }, "Ada");
      expect(await verifyAudit(books, [])).toMatchObject({ head: { number: (before?.number ?? 0) + 1 } });
      expect(await verifyAudit(books, [])).not.toHaveProperty("message");
      // Totals of days before the first stored calls are not compared with calls.
      const row = { account: "audited", token: "t", model: "m", channel: "c", outcome: "completed" };
      for (const [table, period] of [
        ["hourly_totals", day.from - dayMs],
        ["daily_totals", day.from - dayMs],
        ["hourly_totals", at],
        ["daily_totals", day.from],
      ] as const)
        await books.db
          .insertInto(table)
          .values({ ...row, period, calls: 1, cost: 1n })
          .execute();
      expect(await verifyTotals(books, "audited")).toBeUndefined();
    },
  },
  {
    title: "with alerts of the kind channel-resting: they have the current kind",
    last: "0025-former-receipts",
    async fill(db) {
      await sql`insert into alert_targets (id, account, kind, at, record, sealed) values ('trg', '', 'webhook', ${at},
        ${JSON.stringify({ ...target, alerts: ["budget", "channel-resting"] })}, '')`.execute(db);
      for (const [kind, period] of [
        ["channel-resting", "2026-01-10T10"],
        ["channel-recovered", "channel-resting/2026-01-10T09"],
      ])
        await sql`insert into alerts (account, kind, subject, period, id, at, severity, summary, details, open)
          values ('', ${kind}, 'main', ${period}, ${kind}, ${at}, 'warning', '', '{}', 0)`.execute(db);
    },
    async check(books) {
      const alerts = await readAlerts(books, { limit: 9 });
      expect(alerts.map(({ kind, period }) => `${kind} ${period}`).toSorted()).toEqual([
        "channel-cooldown 2026-01-10T10",
        "channel-recovered channel-cooldown/2026-01-10T09",
      ]);
      expect(await readAlertTargets(books)).toEqual([{ ...target, alerts: ["budget", "channel-cooldown"] }]);
    },
  },
];

/** Copies the rows of a table to books of an earlier version, which has some of its columns. */
async function copyTable(from: Kysely<Tables>, to: Kysely<Tables>, table: string): Promise<void> {
  const tables = await to.introspection.getTables();
  const names = tables.find(({ name }) => name === table)?.columns.map(({ name }) => sql.ref(name)) ?? [];
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(names)} from ${sql.table(table)}`.execute(from);
  for (const row of rows)
    await sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(Object.values(row))})`.execute(
      to,
    );
}
