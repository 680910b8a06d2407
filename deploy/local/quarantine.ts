/** Test file that is known to be unstable. Its failures do not fail a run. */
export interface Quarantined {
  /** Path relative to the repository. */
  readonly file: string;
  readonly reason: string;
  /** Day on which the entry was added, such as `2026-11-26`. */
  readonly since: string;
}

/** Unstable test files. A test refuses many or old entries, and files about money. */
export const quarantine: readonly Quarantined[] = [];

/** Returns whether every failure of a run is in a quarantined file. */
export function areQuarantined(
  { failures, unhandledErrors }: { readonly failures: readonly { readonly file: string }[]; unhandledErrors: number },
  list = quarantine,
): boolean {
  const isListed = (file: string): boolean => list.some((entry) => entry.file === file);
  return unhandledErrors === 0 && failures.length > 0 && failures.every(({ file }) => isListed(file));
}
