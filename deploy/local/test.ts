import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesToRepeat } from "./repeat-failures.ts";
import type { RunReport } from "./run-report.ts";

/** Everything that must hold, quickest first; the first failure ends it. Words after `npm test --` go to vitest. */
const pnpm = process.env["MODELGATE_PNPM"] ?? "pnpm";
const folder = mkdtempSync(join(tmpdir(), "modelgate-report-"));
const steps: readonly (readonly [name: string, command: string])[] = [
  ["types", "types"],
  ["lint", "lint"],
  ["format", "format:check"],
  ["unused code", "unused"],
  ["advisories", "audit:packages"],
];

try {
  const failedStep = steps.find(([name, command]) => {
    process.stdout.write(`\n── ${name}\n`);
    return !run(command);
  });
  if (failedStep !== undefined) process.stdout.write(`\n${failedStep[0]}: failed\n`);
  process.exitCode = failedStep === undefined && runTests(process.argv.slice(2)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}): boolean {
  const options = { stdio: "inherit", env: { ...process.env, ...env } } as const;
  return spawnSync(pnpm, ["run", "--silent", command, ...words], options).status === 0;
}

/**
 * Runs all tests. Where few failed, their files run once more, one at a time on the quiet machine, and each failure that
 * does not come again is printed: the load of the full run, not the code, may have caused it.
 */
function runTests(words: readonly string[]): boolean {
  process.stdout.write("\n── tests\n");
  const first = vitest("first", words);
  if (first.ok || first.report === undefined) return summarise(first.ok, first.report);
  const files = filesToRepeat(first.report);
  if (files.length === 0) return summarise(false, first.report);
  process.stdout.write(`\n── ${files.length} files with failures, once more and one at a time\n`);
  const second = vitest("second", ["--maxWorkers=1", ...files]);
  if (!second.ok) return summarise(false, first.report);
  for (const { file, test } of first.report.failures)
    process.stdout.write(`failed once, then passed: ${file} > ${test}\n`);
  return summarise(true, { ...first.report, passed: first.report.passed + first.report.failed, failed: 0 });
}

function vitest(name: string, words: readonly string[]): { ok: boolean; report: RunReport | undefined } {
  const file = join(folder, `${name}.json`);
  const ok = run("vitest", ["--reporter=dot", "--reporter=./deploy/local/run-report.ts", ...words], {
    MODELGATE_TEST_REPORT: file,
  });
  return { ok, report: existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined };
}

/** Prints where the time went, package by package and by its slowest files, and, alone on the last line, the counts. */
function summarise(ok: boolean, report: RunReport | undefined): boolean {
  if (!ok) process.stdout.write("\ntests: failed\n");
  if (report === undefined) return ok;
  const slowest = report.slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`);
  const packages = report.packages.map(
    ({ name, files, testSeconds, loadSeconds }) =>
      `${name} ${files} files ${testSeconds.toFixed(0)} s + ${loadSeconds.toFixed(0)} s of loading`,
  );
  if (report.passed > 1_000)
    process.stdout.write(`\nseconds of workers: ${packages.join(", ")}\nslowest: ${slowest.join(", ")}\n`);
  const skipped = report.skipped > 0 ? `, ${report.skipped} skipped` : "";
  process.stdout.write(`\n${report.passed} passed, ${report.failed} failed${skipped}\n`);
  return ok;
}
