let count = 0;

/** Returns an id that is unique in this process. */
export function freshId(prefix: string): string {
  return `${prefix}sim${(++count).toString(36)}`;
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
