import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBooks, readCalls, readTotals, recordCalls, type Books } from "../src/index.ts";
import type { UsageEvent } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { testUsageDraft } from "@modelgate/testkit";
import { startPostgresEngine } from "./engines.ts";

const { log } = createLogger("test", "silent");
const page = readFileSync(join(import.meta.dirname, "../../../docs/operations/backup.md"), "utf8");
const month = { from: Date.parse("2026-01-01"), to: Date.parse("2026-02-01") };
const calls = Array.from({ length: 50 }, (_, at): UsageEvent => ({
  ...testUsageDraft("acme", `call-${at}`),
  time: new Date(month.from + at * 40_000_000).toISOString(),
  costNanos: "1",
  tags: { team: `team-${at % 3}` },
}));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-backup-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the commands that follow a mark in docs/operations/backup.md. */
function run(mark: string, url = ""): void {
  const [, words = ""] = new RegExp(`<!-- not run: .*\\(${mark}\\) -->\\s*\`\`\`sh\\n([^]*?)\`\`\``).exec(page) ?? [];
  expect(words, `docs/operations/backup.md has words under ${mark}`).not.toBe("");
  const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  execFileSync("sh", ["-ec", words], {
    cwd: folder,
    env: { ...process.env, PATH: path, BOOKS_URL: url },
    stdio: "pipe",
  });
}

async function found(books: Books) {
  const { events } = await readCalls(books, month, { order: "oldest first", limit: 100 });
  const [total] = await readTotals(books, { ...month, groupBy: [] });
  const teams = await readTotals(books, { ...month, groupBy: ["tag:team"] });
  return { calls: events.length, total: total?.sums["calls"], teams: teams.length };
}

const whole = { calls: 50, total: "50", teams: 3 };

describe("a backup of open books, restored as in docs/operations/backup.md, receives the events since", () => {
  test("SQLite", async () => {
    const file = join(folder, "books.sqlite");
    const books = await openBooks({ file }, log);
    await recordCalls(books, calls.slice(0, 30));
    run("sqlite: backup");
    await recordCalls(books, calls.slice(30));
    await books[Symbol.asyncDispose]();
    run("sqlite: restore");
    await using restored = await openBooks({ file }, log);
    expect(await found(restored)).toEqual({ calls: 30, total: "30", teams: 3 });
    expect(await recordCalls(restored, calls)).toHaveLength(20);
    expect(await found(restored)).toEqual(whole);
  });

  const hasTools = ["pg_dump", "pg_restore"].every((tool) => {
    try {
      execFileSync(tool, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });

  test.skipIf(!hasTools)("PostgreSQL", async () => {
    await using engine = await startPostgresEngine();
    const address = await engine.booksAddress();
    const books = await openBooks(address, log);
    await recordCalls(books, calls.slice(0, 30));
    run("postgres: backup", address.url);
    await recordCalls(books, calls.slice(30));
    await books[Symbol.asyncDispose]();
    const empty = await engine.address();
    run("postgres: restore", empty.url);
    await using restored = await openBooks(empty, log);
    expect(await found(restored)).toEqual({ calls: 30, total: "30", teams: 3 });
    expect(await recordCalls(restored, calls)).toHaveLength(20);
    expect(await found(restored)).toEqual(whole);
  });
});
