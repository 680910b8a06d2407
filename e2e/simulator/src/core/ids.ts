let count = 0;

/** An id that no other answer of this process has. */
export function freshId(prefix: string): string {
  return `${prefix}sim${(++count).toString(36)}`;
}

/** Now, in seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
