/** Test file that is known to be unstable. Its failures are printed and do not fail a run. */
export interface Quarantined {
  /** Path of the file, relative to the repository. */
  readonly file: string;
  readonly reason: string;
  /** Day when it was added, such as `2026-11-26`. */
  readonly since: string;
}

/**
 * Unstable test files. A test refuses more than five, entries older than 14 days, and files about money (by their name
 * or their text).
 */
export const quarantine: readonly Quarantined[] = [];

/** Returns true if every failure of a run is in a quarantined file. */
export function areQuarantined(
  { failures, unhandledErrors }: { readonly failures: readonly { readonly file: string }[]; unhandledErrors: number },
  list = quarantine,
): boolean {
  const isListed = (file: string): boolean => list.some((entry) => entry.file === file);
  return unhandledErrors === 0 && failures.length > 0 && failures.every(({ file }) => isListed(file));
}
