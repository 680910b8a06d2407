import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesToRepeat } from "../repeat-failures.ts";
import type { RunReport } from "../run-report.ts";

const failure = (file: string) => ({ file, test: "something" });

test.each([
  { run: "one file with two failures", failures: ["a", "a"], unhandledErrors: 0, repeated: ["a"] },
  { run: "five files", failures: ["a", "b", "c", "d", "e"], unhandledErrors: 0, repeated: ["a", "b", "c", "d", "e"] },
  { run: "six files", failures: ["a", "b", "c", "d", "e", "f"], unhandledErrors: 0, repeated: [] },
  { run: "an error outside any test", failures: ["a"], unhandledErrors: 1, repeated: [] },
  { run: "no file", failures: [], unhandledErrors: 0, repeated: [] },
])("repeats the files of a run that failed in $run only where chance may explain it", ({ repeated, ...report }) => {
  expect(filesToRepeat({ ...report, failures: report.failures.map(failure) })).toEqual(repeated);
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
    const root = join(import.meta.dirname, "../../..");
    const reporter = join(import.meta.dirname, "../run-report.ts");
    const words = [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--root",
      folder,
      "--globals",
      `--reporter=${reporter}`,
    ];
    // Found from here: a folder under /tmp has no packages of its own.
    write(
      "vitest.config.js",
      `export default { resolve: { alias: { vitest: ${JSON.stringify(join(root, "node_modules/vitest"))} } } };`,
    );
    const { status } = spawnSync(process.execPath, words, {
      cwd: folder,
      env: { ...process.env, MODELGATE_TEST_REPORT: join(folder, "report.json") },
    });
    expect(status).toBe(1);
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
