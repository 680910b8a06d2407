/** Claims a folder for this process under a name; gives the claim, or the id of a living process that has one. */
export function claim(
  folder: string,
  name: string,
): { readonly heldBy?: undefined; release(): void } | { readonly heldBy: number; readonly release?: undefined };
