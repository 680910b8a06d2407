import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { areQuarantined, quarantine, type Quarantined } from "../quarantine.ts";
import { filesToRepeat, argumentsToRepeat } from "../repeat-failures.ts";
import type { RunReport } from "../run-report.ts";

const failure = (file: string) => ({ file, test: "something" });

test.each([
  { run: "one file with two failures", failures: ["a", "a"], unhandledErrors: 0, repeated: ["a"] },
  { run: "five files", failures: ["a", "b", "c", "d", "e"], unhandledErrors: 0, repeated: ["a", "b", "c", "d", "e"] },
  { run: "six files", failures: ["a", "b", "c", "d", "e", "f"], unhandledErrors: 0, repeated: [] },
  { run: "an error outside any test", failures: ["a"], unhandledErrors: 1, repeated: [] },
  { run: "no file", failures: [], unhandledErrors: 0, repeated: [] },
])("repeats failed files after $run only if the failure may be random", ({ repeated, ...report }) => {
  expect(filesToRepeat({ ...report, failures: report.failures.map(failure) })).toEqual(repeated);
});

test.each([
  { words: [], repeated: [] },
  { words: ["-t", "books", "libs/books", "--project", "x", "e2e"], repeated: ["-t", "books", "--project", "x"] },
])("a repeated run has the options of the first one: $words", ({ words, repeated }) => {
  expect(argumentsToRepeat(words, ["a.test.ts"])).toEqual([...repeated, "--maxWorkers=1", "a.test.ts"]);
});

test.each([
  { run: "failures of quarantined files", files: ["a"], unhandledErrors: 0, forgiven: true },
  { run: "a failure of another file too", files: ["a", "b"], unhandledErrors: 0, forgiven: false },
  { run: "an error outside any test", files: ["a"], unhandledErrors: 1, forgiven: false },
  { run: "no failure, yet it failed", files: [], unhandledErrors: 0, forgiven: false },
])("a run passes after $run: $forgiven", ({ files, unhandledErrors, forgiven }) => {
  const list = [{ file: "a", reason: "a race", since: "2026-11-26" }];
  expect(areQuarantined({ failures: files.map(failure), unhandledErrors }, list)).toBe(forgiven);
});

const root = join(import.meta.dirname, "../../..");
const [moneyInNames, moneyInText] = [
  /money|account|balance|bill|book|budget|credit|fee|hold|ledger|paid|price|settle|usage/,
  /Nanos|booksAgree|money\(/,
];
const maxAgeMs = 14 * 86_400_000;

/** Returns the reasons why an entry must not be in the quarantine. */
function refusalsOf({ file, reason, since }: Quarantined): readonly string[] {
  const path = join(root, file);
  if (!existsSync(path)) return ["no such file"];
  const ageMs = Date.now() - Date.parse(since);
  return [
    ...(moneyInNames.test(file) || moneyInText.test(readFileSync(path, "utf8")) ? ["about money"] : []),
    ...(reason === "" ? ["no reason"] : []),
    ...(ageMs >= 0 && ageMs < maxAgeMs ? [] : ["too old, in the future, or no day"]),
  ];
}

test("the quarantine is short, recent, and contains no test about money", () => {
  expect(quarantine.length).toBeLessThanOrEqual(5);
  expect(quarantine.flatMap(refusalsOf)).toEqual([]);
});

const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test.each([
  { entry: "of today", refusals: [] },
  { entry: "whose name is about money", file: "libs/accounts/test/money-model.test.ts", refusals: ["about money"] },
  { entry: "whose text is about money", file: "e2e/test/rolling-restart.test.ts", refusals: ["about money"] },
  { entry: "without a file", file: "e2e/test/none.test.ts", refusals: ["no such file"] },
  { entry: "without a reason", reason: "", refusals: ["no reason"] },
  { entry: "that is old", since: dayFromNow(-15), refusals: ["too old, in the future, or no day"] },
  { entry: "of a day to come", since: dayFromNow(2), refusals: ["too old, in the future, or no day"] },
  { entry: "without a day", since: "soon", refusals: ["too old, in the future, or no day"] },
])("the quarantine refuses an entry $entry: $refusals", ({ entry: _entry, refusals, ...fields }) => {
  const entry = { file: "deploy/local/test/ports.test.ts", reason: "a race", since: dayFromNow(0), ...fields };
  expect(refusalsOf(entry)).toEqual(refusals);
});

test("the report counts tests and names failed files, also one that cannot be loaded", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-run-report-"));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  try {
    write(
      "one.test.js",
      'import { test } from "vitest"; test("holds", () => {}); test("fails", () => { throw new Error("no"); });',
    );
    write("two.test.js", 'import "./missing.js";');
    write("three.test.js", 'import { test } from "vitest"; test.skip("waits", () => {});');
    const reporter = join(import.meta.dirname, "../run-report.ts");
    const words = [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--root",
      folder,
      "--globals",
      `--reporter=${reporter}`,
    ];
    // Resolved by an alias, because a folder under /tmp has no packages.
    write(
      "vitest.config.js",
      `export default { resolve: { alias: { vitest: ${JSON.stringify(join(root, "node_modules/vitest"))} } } };`,
    );
    const { status, stdout } = spawnSync(process.execPath, words, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, MODELGATE_TEST_REPORT: join(folder, "report.json") },
    });
    expect(status).toBe(1);
    expect(stdout).toContain("FAILED one.test.js > fails\nno\n");
    expect(stdout).toContain("FAILED two.test.js > (the file)\n");
    const report: RunReport = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
    expect(report).toMatchObject({ passed: 1, failed: 1, skipped: 1, unhandledErrors: 0 });
    expect(report.failures.map(({ file, test }) => `${file} ${test}`).sort()).toEqual([
      "one.test.js fails",
      "two.test.js (the file)",
    ]);
    expect(report.packages.map(({ files }) => files)).toEqual([3]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
