import { cleanWords } from "@modelgate/providers";

/** Close codes of RFC 6455 that the gateway uses of its own accord. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  /** The balance, or the key. */
  policy: 1008,
  /** The vendor, or the gateway. */
  broken: 1011,
  tryAgain: 1013,
} as const;

/** Codes that are only ever observed: no code at all, no good-bye, no handshake. */
const unsendable: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
/** A close frame has 125 bytes, two of them for the code. */
const mostReasonBytes = 123;

/** Whether a side ended in an orderly way that is no failure. */
export function isOrderly(code: number): boolean {
  return code === closeCodes.normal || code === 1005;
}

/** A code that one side closed with, as the other may be told it. */
export function carriedCode(code: number): number {
  if (code === 1005) return closeCodes.normal;
  const sendable = (code >= 1000 && code <= 1014 && !unsendable.has(code)) || (code >= 3000 && code <= 4999);
  return sendable ? code : closeCodes.broken;
}

/** A reason within its bound, without addresses and keys. */
export function carriedReason(reason: string): string {
  const bytes = Buffer.from(cleanWords(reason));
  if (bytes.length <= mostReasonBytes) return bytes.toString();
  // Cut between characters: what is left of one is no valid text.
  return bytes.toString("utf8", 0, mostReasonBytes).replace(/\uFFFD+$/u, "");
}
