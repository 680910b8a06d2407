import { Failure } from "@modelgate/contracts";
import { cleanWords } from "@modelgate/providers";
import { isRecord } from "@modelgate/wires/json";
import { eventType, parseEvent, type RealtimeMessage } from "@modelgate/wires/realtime";

/** Close codes of RFC 6455 that the gateway sends. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  /** A message that cannot be read, or not be done. */
  invalid: 1007,
  /** The balance, or the key. */
  policy: 1008,
  /** The vendor, or the gateway. */
  broken: 1011,
  tryAgain: 1013,
} as const;

/** End of a session, for either side. */
export interface SessionEnding {
  readonly code: number;
  readonly reason: string;
  /** The error that the client gets before it is closed. */
  readonly failure?: Failure;
  /** The vendor's close code; absent: that the session ended normally. */
  readonly vendorCode?: number;
}

/** Codes that are only ever observed: no code at all, no good-bye, no handshake. */
const unsendable: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
/** A close frame has 125 bytes, two of them for the code. */
const maxReasonBytes = 123;

/** The client closed, or vanished: that is no fault that its vendor need hear of. */
export function endingByClient(code: number, reason: string): SessionEnding {
  const carried = carriedCode(code);
  const vendorCode = carried === closeCodes.broken ? closeCodes.normal : carried;
  return { code: carried, reason: carriedReason(reason), vendorCode };
}

/** Last words of a vendor before it closed. */
export interface VendorsLast {
  /** It had sent an error. */
  readonly failed: boolean;
  /** It had not sent the end of what it was at. */
  readonly owing: boolean;
}

/** The vendor closed, or was lost, which is never silent: the client gets an error, unless the vendor had sent one. */
export function endingByVendor(code: number, reason: string, { failed, owing }: VendorsLast): SessionEnding {
  if ((isOrderly(code) && !owing) || failed) return { code: carriedCode(code), reason: carriedReason(reason) };
  const failure = new Failure("upstream_error", "The connection to the vendor was lost.");
  return { code: carriedCode(code), reason: carriedReason(reason) || failure.code, failure };
}

/** Returns true if a side ended in an orderly way that is not a failure. */
function isOrderly(code: number): boolean {
  return code === closeCodes.normal || code === 1005;
}

/** A code that one side closed with, as it may be sent to the other. */
export function carriedCode(code: number): number {
  if (code === 1005) return closeCodes.normal;
  const sendable = (code >= 1000 && code <= 1014 && !unsendable.has(code)) || (code >= 3000 && code <= 4999);
  return sendable ? code : closeCodes.broken;
}

/** A reason within its bound, without addresses and keys. */
export function carriedReason(reason: string): string {
  const bytes = Buffer.from(cleanWords(reason));
  if (bytes.length <= maxReasonBytes) return bytes.toString();
  // Cut between characters: what is left of one is no valid text.
  return bytes.toString("utf8", 0, maxReasonBytes).replace(/\uFFFD+$/u, "");
}

/** Removes addresses and keys from the text of a vendor's `error` event; every other message is unchanged. */
export function cleanError(message: RealtimeMessage): RealtimeMessage {
  if (message.binary || eventType(message.data) !== "error") return message;
  const event = parseEvent(message.data);
  const error = event?.["error"];
  if (!isRecord(error) || typeof error["message"] !== "string") return message;
  const clean = cleanWords(error["message"]);
  if (clean === error["message"]) return message;
  return { data: Buffer.from(JSON.stringify({ ...event, error: { ...error, message: clean } })), binary: false };
}
