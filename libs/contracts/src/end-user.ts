/** Most characters of an end user's name that the books keep: vendors take 64 to 256. */
export const mostEndUserCharacters = 256;

/**
 * The name of an end user as the books keep it: without control characters, cut to its bound. Undefined for what is no
 * name; the client's own member goes on to its vendor as it came.
 */
export function endUserOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value
    .slice(0, mostEndUserCharacters)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return name === "" ? undefined : name;
}
