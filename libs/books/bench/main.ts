import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { createLogger } from "@modelgate/platform";
import { startLocalPostgres } from "@modelgate/testkit";
import { openBooks, readCalls, readReceipts, readTotals, recordCalls, type Books } from "../src/index.ts";
import { makeCalls, month } from "./calls.ts";

/**
 * What the books carry: rows a second, bytes a row, and how long the queries take that an operator makes.
 *   node libs/books/bench/main.ts --engine sqlite|postgres --calls 1000000 --batch 500
 */
const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    calls: { type: "string", default: "1000000" },
    batch: { type: "string", default: "500" },
  },
});
const [most, batch] = [Number(values.calls), Number(values.batch)];
const { log } = createLogger("bench", "warn");
/** The account that is verified has so many receipts. */
const receipts = Math.min(100_000, most / 2);

await using server = values.engine === "postgres" ? await startLocalPostgres() : undefined;
const folder = mkdtempSync(join(tmpdir(), "modelgate-bench-"));
const file = join(folder, "books.sqlite");
try {
  await using books = await openBooks({ url: server?.url, file }, log);
  say("engine", `${values.engine}, ${most} calls of 200 accounts over 30 days`);
  await fill(books);
  say("bytes a call", String(Math.round((await bytesOf(books)) / most)));
  await queries(books);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function fill(books: Books): Promise<void> {
  const startedAt = performance.now();
  let done = 0;
  for (const events of makeCalls({ most, batch, receipts })) {
    done += (await recordCalls(books, events)).length;
    if (done % 250_000 < batch) process.stderr.write(`${done} ${Math.round(performance.now() - startedAt)} ms\n`);
  }
  say(`calls a second, batches of ${batch}`, String(Math.round(most / ((performance.now() - startedAt) / 1_000))));
  if (books.engine === "postgres") await sql`vacuum analyze`.execute(books.db);
  else await sql`analyze`.execute(books.db);
}

/** Of the calls with their indexes, and of the totals. */
async function bytesOf(books: Books): Promise<number> {
  if (books.engine === "sqlite")
    return ["", "-wal"].reduce((sum, end) => sum + (existsSync(file + end) ? statSync(file + end).size : 0), 0);
  const { rows } = await sql<{ size: number; name: string }>`
    select split_part(relname, '_2', 1) as name, sum(pg_total_relation_size(oid))::bigint as size from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1 order by 2 desc`.execute(books.db);
  for (const { name, size } of rows.slice(0, 3)) say(`  of ${name}`, String(Math.round(size / most)));
  return rows.reduce((sum, { size }) => sum + size, 0);
}

async function queries(books: Books): Promise<void> {
  const page = { order: "newest first", limit: 100 } as const;
  const { events, next } = await readCalls(books, month, page);
  const middle = (month.from + month.to) / 2;
  const [some] = (await readCalls(books, { from: middle, to: month.to }, { ...page, order: "oldest first" })).events;
  await time("totals of a month by model and day", () => readTotals(books, { ...month, groupBy: ["model", "day"] }));
  await time("totals of a month by account, model and day", () =>
    readTotals(books, { ...month, groupBy: ["account", "model", "day"] }),
  );
  await time("totals of an account's month by token and day", () =>
    readTotals(books, { ...month, account: some?.accountId, groupBy: ["token", "day"] }),
  );
  await time("page of the log, all accounts", () => readCalls(books, month, page));
  await time("the page after it", () => readCalls(books, month, { ...page, after: next }));
  for (const [name, filter] of Object.entries({
    "an account": { account: some?.accountId },
    "a token": { token: some?.tokenId },
    "a model": { model: some?.model },
    "a model seldom used": { model: "seldom" },
    "a channel": { channel: some?.channelId },
    "failed ones": { outcome: "failed" },
    "status 429": { status: 429 },
    "a model that there is not": { model: "absent" },
  }))
    await time(`page of the log, ${name}`, () => readCalls(books, { ...month, ...filter }, page));
  await time("a call by its request id", () =>
    readCalls(books, { from: 0, to: Number.MAX_SAFE_INTEGER, requestId: some?.requestId }, page),
  );
  await time(`receipts of an account of ${receipts}, read`, async () => {
    for await (const _ of readReceipts(books, "many"));
  });
  process.stderr.write(`${events.length} events a page\n`);
}

/** The slowest of five, after one that warms. */
async function time(name: string, run: () => Promise<unknown>): Promise<void> {
  const taken: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const startedAt = performance.now();
    await run();
    taken.push(performance.now() - startedAt);
  }
  say(name, `${Math.max(...taken.slice(1)).toFixed(1)} ms (first ${(taken[0] ?? 0).toFixed(1)})`);
}

function say(name: string, value: string): void {
  process.stdout.write(`| ${name} | ${value} |\n`);
}
