import { parseCLI } from "vitest/node";
import type { RunReport } from "./run-report.ts";

/** Maximum number of failed files that run again. If more have failed, none runs again. */
const maxRepeatedFiles = 5;

/**
 * Returns the files of a failed run to run again. Returns none if too many failed, or if an error occurred outside of
 * the tests, because it may be the cause.
 */
export function filesToRepeat({
  failures,
  unhandledErrors,
}: Pick<RunReport, "failures" | "unhandledErrors">): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return unhandledErrors > 0 || files.length > maxRepeatedFiles ? [] : files;
}

/** Returns vitest's arguments for only these files, with the options of the first run. */
export function argumentsToRepeat(vitestArguments: readonly string[], files: readonly string[]): string[] {
  const { filter } = parseCLI(["vitest", "run", ...vitestArguments]);
  const kept = [...vitestArguments];
  for (const word of filter.toReversed()) kept.splice(kept.lastIndexOf(word), 1);
  return [...kept, "--maxWorkers=1", ...files];
}
