/** No codec in use is below a kilobyte a second. */
const minBytesPerSecond = 1_000;
/** A file's head may say less than the file holds: what a vendor hears beyond it is believed so far. */
const beyondHead = { times: 20, seconds: 60 } as const;

/** The most seconds that are billed of a file, whatever its vendor says that it heard. */
export function maxHeard({ bound, bytes }: { readonly bound: number; readonly bytes: number }): number {
  const byHead = bound * beyondHead.times + beyondHead.seconds;
  // A bound that follows from the bytes is one already; a vendor may round it up.
  return Math.max(Math.min(bytes / minBytesPerSecond, byHead), bound) + 1;
}
