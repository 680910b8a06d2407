import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { areQuarantined, quarantine } from "./quarantine.ts";
import { filesToRepeat, argumentsToRepeat } from "./repeat-failures.ts";
import type { RunReport } from "./run-report.ts";

const pnpm = process.env["MODELGATE_PNPM"] ?? "pnpm";
const folder = mkdtempSync(join(tmpdir(), "modelgate-report-"));
/** Maximum output of a check in bytes. */
const maxOutputBytes = 16 * 1024 * 1024;
/** Checks with their scripts. Two run at a time, the longest first. */
const checks: readonly (readonly [name: string, script: string])[] = [
  ["types and lint", "lint"],
  ["unused code", "unused"],
  ["format", "format:check"],
  ["advisories", "audit:packages"],
  // The bundle is made before the tests, because their time limits do not include it.
  ["bundle", "bundle"],
];

// Runs the checks, then all tests. Arguments after `npm test --` are passed to vitest.
try {
  process.exitCode = (await runChecks()) && runTests(process.argv.slice(2)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runChecks(): Promise<boolean> {
  const waiting = [...checks];
  let ok = true;
  async function runWaiting(): Promise<void> {
    for (let next = waiting.shift(); ok && next !== undefined; next = waiting.shift()) {
      const [name, script] = next;
      process.stdout.write(`\n── ${name} …\n`);
      const { isOk, output } = await runScript(script);
      process.stdout.write(`\n── ${name}\n${output}`);
      if (isOk) continue;
      process.stdout.write(`\n${name}: failed\n`);
      ok = false;
    }
  }
  await Promise.all([runWaiting(), runWaiting()]);
  return ok;
}

function runScript(script: string): Promise<{ readonly isOk: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(pnpm, ["run", "--silent", script], { maxBuffer: maxOutputBytes }, (error, stdout, stderr) =>
      // The error's message contains stderr.
      resolve({ isOk: error === null, output: `${stdout}${error?.message ?? stderr}` }),
    ).stdin?.end();
  });
}

/**
 * Runs all tests. If few files failed, runs these again for a diagnosis. Returns true if the first run had no failures
 * outside the quarantined files.
 */
function runTests(vitestArguments: readonly string[]): boolean {
  process.stdout.write("\n── tests\n");
  const { ok, report } = vitest("first", vitestArguments);
  if (ok || report === undefined) return summarise(ok, report);
  const files = filesToRepeat(report);
  if (files.length > 0) {
    process.stdout.write(`\n── for a diagnosis: ${files.length} files with failures again, one at a time\n`);
    diagnose(report, vitest("second", argumentsToRepeat(vitestArguments, files)).report);
  }
  const forgiven = areQuarantined(report);
  if (forgiven) for (const { file, reason } of quarantine) process.stdout.write(`quarantined: ${file}: ${reason}\n`);
  return summarise(forgiven, report);
}

function diagnose({ failures }: RunReport, second: RunReport | undefined): void {
  for (const { file, test } of failures) {
    const again = second?.failures.some((failure) => failure.file === file && failure.test === test) ?? true;
    process.stdout.write(`${again ? "failed twice" : "failed, then passed alone"}: ${file} > ${test}\n`);
  }
}

function vitest(name: string, vitestArguments: readonly string[]): { ok: boolean; report: RunReport | undefined } {
  const file = join(folder, `${name}.json`);
  const reporters = ["--reporter=dot", "--reporter=./deploy/local/run-report.ts"];
  // The suites start services hundreds of times; compiling them was a fifth of each start.
  const NODE_COMPILE_CACHE = join(process.cwd(), "node_modules/.cache/compiled");
  const env = { NODE_COMPILE_CACHE, ...process.env, MODELGATE_TEST_REPORT: file };
  const words = ["run", "--silent", "vitest", ...reporters, ...vitestArguments];
  const ok = spawnSync(pnpm, words, { stdio: "inherit", env }).status === 0;
  return { ok, report: existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined };
}

/** Prints the counts of a run and the longest test times. Returns `ok`. */
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
