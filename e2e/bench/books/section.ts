import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { openBooks, readCalls, readTotals, type Books, type CallFilter } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startLocalPostgres } from "@modelgate/testkit";
import { options, report } from "../options.ts";
import { measureTime } from "../timed.ts";
import { fillMonth, monthFrom } from "./fill.ts";
import { makeAccountToVerify } from "./account-to-verify.ts";

/** Measures recorded calls per second, bytes per call, and operators' queries. */
const defaultCalls = options.quick ? 20_000 : 200_000;
const calls = Number(options.calls ?? defaultCalls);
const receipts = Number(options.receipts ?? Math.min(100_000, calls / 2));
const month = monthFrom(Date.parse("2026-01-01"));
const { log } = createLogger("bench", "warn");

const load = (): string =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(", ");

for (const engine of ["sqlite", "postgres"] as const)
  if (options.engine === undefined || options.engine === engine) await measure(engine);

async function measure(engine: "sqlite" | "postgres"): Promise<void> {
  await using server = engine === "postgres" ? await startLocalPostgres() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "modelgate-bench-"));
  try {
    await using books = await openBooks({ url: server?.url, file: join(folder, "books.sqlite") }, log);
    report(`books in ${engine}`, `${calls} calls of 200 accounts over 30 days, load ${load()}`);
    await fillMonth(books, calls, month);
    report("  bytes a call, with labels and totals", String(Math.round((await bytesOf(books, folder)) / calls)));
    await queries(books);
    await using account = await makeAccountToVerify(books, receipts);
    report("  calls a second recorded, batches of 500", String(Math.round(account.recordedPerSecond)));
    await measureTime(`ledger verify of an account of ${receipts} receipts`, () => account.verify());
    report("  load at the end", load());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bytesOf(books: Books, folder: string): Promise<number> {
  if (books.engine === "sqlite") {
    await sql`pragma wal_checkpoint(truncate)`.execute(books.db);
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  }
  const { rows } = await sql<{ table: string; size: number }>`
    select split_part(relname, '_2', 1) as table, sum(pg_total_relation_size(oid))::bigint as size from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1 order by 2 desc`.execute(books.db);
  for (const { table, size } of rows.slice(0, 5)) report(`    of ${table}`, String(Math.round(size / calls)));
  return rows.reduce((sum, { size }) => sum + size, 0);
}

async function queries(books: Books): Promise<void> {
  for (const groupBy of [["model", "day"], ["account", "model", "day"], ["tag:team", "day"], ["endUser"]] as const)
    await measureTime(`totals of a month by ${groupBy.join(", ")}`, () => readTotals(books, { ...month, groupBy }));
  const page = { order: "newest first", limit: 100 } as const;
  const middle = { from: (month.from + month.to) / 2, to: month.to };
  const [some] = (await readCalls(books, middle, { ...page, order: "oldest first" })).events;
  const { next } = await readCalls(books, month, page);
  await measureTime("page of the log, the second", () => readCalls(books, month, { ...page, after: next }));
  const filters: Readonly<Record<string, Partial<CallFilter>>> = {
    "all accounts": {},
    "an account": { account: some?.accountId },
    "a token": { token: some?.tokenId },
    "a model": { model: some?.model },
    "a model seldom used": { model: "seldom" },
    "a channel": { channel: some?.channelId },
    "failed calls": { outcome: "failed" },
    "one status of 500": { status: 429 },
    "a model and an outcome": { model: some?.model, outcome: "failed" },
    "a model that there is not": { model: "absent" },
    "a status that there is not": { status: 418 },
    "a tag": { labels: [{ name: "tag:team", value: "team-7" }] },
    "an end user": { labels: [{ name: "endUser", value: "user-7" }] },
    "a tag and an account": { account: some?.accountId, labels: [{ name: "tag:team", value: "team-7" }] },
  };
  for (const [name, filter] of Object.entries(filters))
    await measureTime(`page of the log, ${name}`, () => readCalls(books, { ...month, ...filter }, page));
  const ever = { from: 0, to: Number.MAX_SAFE_INTEGER };
  await measureTime("a call by its request id", () => readCalls(books, { ...ever, requestId: some?.requestId }, page));
}
