/**
 * Claims a folder for this process under a name. Returns the claim, or the id of a running process that has claimed the
 * folder.
 */
export function claim(
  folder: string,
  name: string,
): { readonly heldBy?: undefined; release(): void } | { readonly heldBy: number; readonly release?: undefined };

/** Marks a folder as used by this process, among others. */
export function markUsed(folder: string, name: string): void;

/** Returns the id of a running process that has marked a folder. Deletes files of ended processes. */
export function userOf(folder: string, name: string): number | undefined;
