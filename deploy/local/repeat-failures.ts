import type { RunReport } from "./run-report.ts";

/** More files than these do not fail by chance: the run stands as it is. */
const maxRepeatedFiles = 5;

/**
 * The files of a failed run that are worth running once more, none where the failure is certain: too many files failed,
 * or an error was thrown outside any test.
 */
export function filesToRepeat({
  failures,
  unhandledErrors,
}: Pick<RunReport, "failures" | "unhandledErrors">): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return unhandledErrors > 0 || files.length > maxRepeatedFiles ? [] : files;
}
