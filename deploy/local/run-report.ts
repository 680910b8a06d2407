import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Result of a test run. Files are relative to the repository. */
export interface RunReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly file: string; readonly test: string }[];
  readonly unhandledErrors: number;
  readonly slowest: readonly { readonly file: string; readonly seconds: number }[];
  readonly packages: readonly PackageTime[];
}

/** Seconds that all workers spent on a package: on tests and hooks, and on everything else, such as imports. */
export interface PackageTime {
  readonly name: string;
  readonly files: number;
  readonly testSeconds: number;
  readonly loadSeconds: number;
}

/**
 * Reporter for vitest. Prints each failure immediately, and writes a RunReport to the file in MODELGATE_TEST_REPORT.
 */
export default class RunReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === "failed") printFailure(fileOf(test.module), test.fullName, errors);
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = [...module.children.allSuites()].flatMap((suite) => suite.errors());
    const all = [...module.errors(), ...errors];
    if (all.length > 0) printFailure(fileOf(module), "(the file)", all);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const file = process.env["MODELGATE_TEST_REPORT"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(reportOf(modules, unhandledErrors.length)));
  }
}

function fileOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId);
}

function printFailure(file: string, test: string, errors: readonly { readonly message: string }[]): void {
  process.stdout.write(`\nFAILED ${file} > ${test}\n${errors.map(({ message }) => message).join("\n")}\n`);
}

function reportOf(modules: readonly TestModule[], unhandledErrors: number): RunReport {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  const failures = modules.flatMap((module) => {
    const failed: { file: string; test: string }[] = [];
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state]++;
      if (state === "failed") failed.push({ file: fileOf(module), test: test.fullName });
    }
    // A file that cannot be loaded has no failed test.
    return module.ok() || failed.length > 0 ? failed : [{ file: fileOf(module), test: "(the file)" }];
  });
  const slowest = modules
    .map((module) => ({ file: fileOf(module), seconds: module.diagnostic().duration / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, 10);
  return {
    passed: counts.passed,
    failed: counts.failed,
    skipped: counts.skipped + counts.pending,
    failures,
    unhandledErrors,
    slowest,
    packages: timesOf(modules),
  };
}

function timesOf(modules: readonly TestModule[]): readonly PackageTime[] {
  const times = new Map<string, { name: string; files: number; testSeconds: number; loadSeconds: number }>();
  for (const module of modules) {
    const name = packageOf(fileOf(module));
    const { duration, environmentSetupDuration, prepareDuration, collectDuration, setupDuration } = module.diagnostic();
    const sum = times.get(name) ?? { name, files: 0, testSeconds: 0, loadSeconds: 0 };
    sum.files++;
    sum.testSeconds += duration / 1_000;
    sum.loadSeconds += (environmentSetupDuration + prepareDuration + collectDuration + setupDuration) / 1_000;
    times.set(name, sum);
  }
  const totalSeconds = ({ testSeconds, loadSeconds }: PackageTime): number => testSeconds + loadSeconds;
  return [...times.values()].sort((one, other) => totalSeconds(other) - totalSeconds(one));
}

/** Returns the folder of a test file's package. */
function packageOf(file: string): string {
  const end = file.indexOf("/test/");
  return end < 0 ? "." : file.slice(0, end);
}
