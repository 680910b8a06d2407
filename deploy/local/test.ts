import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Everything that must hold, quickest first; the first failure ends it. Words after `npm test --` go to vitest. */
const pnpm = process.env["MODELGATE_PNPM"] ?? "pnpm";
const folder = mkdtempSync(join(tmpdir(), "modelgate-report-"));
const report = join(folder, "vitest.json");
const steps: readonly (readonly [name: string, ...command: readonly string[]])[] = [
  ["types", "types"],
  ["lint", "lint"],
  ["format", "format:check"],
  ["unused code", "unused"],
  ["advisories", "audit:packages"],
  ["tests", "vitest", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`, ...process.argv.slice(2)],
];

try {
  for (const [name, ...command] of steps) {
    process.stdout.write(`\n── ${name}\n`);
    const { status } = spawnSync(pnpm, ["run", "--silent", ...command], { stdio: "inherit" });
    if (status !== 0) {
      process.exitCode = status ?? 1;
      process.stdout.write(`\n${name}: failed\n`);
      break;
    }
  }
  tell();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The count, alone on the last line. */
function tell(): void {
  try {
    const { numPassedTests, numFailedTests, numPendingTests }: Record<string, number> = JSON.parse(
      readFileSync(report, "utf8"),
    );
    process.stdout.write(
      `\n${numPassedTests ?? 0} passed, ${numFailedTests ?? 0} failed${(numPendingTests ?? 0) > 0 ? `, ${numPendingTests} skipped` : ""}\n`,
    );
  } catch {
    // no test ran: a step before it failed and has said why
  }
}
