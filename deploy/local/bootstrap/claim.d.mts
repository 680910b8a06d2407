/**
 * Claims a folder for this process under a name. Returns the claim, or the id of a running process that has claimed the
 * folder.
 */
export function claim(
  folder: string,
  name: string,
): { readonly heldBy?: undefined; release(): void } | { readonly heldBy: number; readonly release?: undefined };
