import { Failure } from "@modelgate/contracts";
import { cleanText } from "@modelgate/providers";
import { isRecord } from "@modelgate/formats/json";
import { eventType, parseEvent, type RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";

/** Close codes of RFC 6455 that the gateway sends. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  /** Code for a message that cannot be read or processed. */
  invalid: 1007,
  /** Code for a refusal, for example because of the balance or the API key. */
  policy: 1008,
  /** Code for a failure of the vendor or the gateway. */
  broken: 1011,
  tryAgain: 1013,
} as const;

/** Close code, reason and failure with which a session ends. */
export interface SessionEnding {
  readonly code: number;
  readonly reason: string;
  /** Error that the client gets before the close. */
  readonly failure?: Failure;
  /** Close code for the vendor; 1000 if absent. */
  readonly vendorCode?: number;
}

/**
 * Close codes that must not be sent. 1004 is reserved; the others mean a missing code, a missing close frame, or a
 * failed handshake.
 */
const unsendableCodes: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
/** Maximum bytes of a close reason: the 125 bytes of a control frame minus two for the code. */
const maxReasonBytes = 123;

/** Returns the ending of a session whose client closed or disconnected. */
export function endingByClient(code: number, reason: string): SessionEnding {
  const sendable = sendableCode(code);
  const vendorCode = sendable === closeCodes.broken ? closeCodes.normal : sendable;
  return { code: sendable, reason: sendableReason(reason), vendorCode };
}

/** State of a vendor connection when it closed. */
export interface VendorState {
  /** True if the vendor's last message was an error. */
  readonly hasFailed: boolean;
  /** True if an answer was incomplete. */
  readonly isOutstanding: boolean;
}

/** Returns the ending of a session after its vendor's connection closed. An unexpected close is an error. */
export function endingByVendor(code: number, reason: string, { hasFailed, isOutstanding }: VendorState): SessionEnding {
  if ((isOrderly(code) && !isOutstanding) || hasFailed)
    return { code: sendableCode(code), reason: sendableReason(reason) };
  const failure = new Failure("upstream_error", "The connection to the vendor was lost.");
  return { code: sendableCode(code), reason: sendableReason(reason) || failure.code, failure };
}

/** Returns true for a close code that means a normal end. */
function isOrderly(code: number): boolean {
  return code === closeCodes.normal || code === 1005;
}

/** Returns the close code that one side gets when the other side closed with `code`. */
export function sendableCode(code: number): number {
  if (code === 1005) return closeCodes.normal;
  const sendable = (code >= 1000 && code <= 1014 && !unsendableCodes.has(code)) || (code >= 3000 && code <= 4999);
  return sendable ? code : closeCodes.broken;
}

/** Returns a close reason without addresses and keys, cut to its maximum length. */
export function sendableReason(reason: string): string {
  const bytes = Buffer.from(cleanText(reason));
  if (bytes.length <= maxReasonBytes) return bytes.toString();
  // Removes the remains of a cut character, which are not valid text.
  return bytes.toString("utf8", 0, maxReasonBytes).replace(/\uFFFD+$/u, "");
}

/** Maximum time, in ms, for the other side to answer a close before its connection is cut. */
const closeMs = 5_000;

/** Closes a connection that no session uses. Cuts it if the close is not answered in time. */
export function closeGracefully(socket: WebSocket, code: number, reason: string): void {
  socket.resume();
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), closeMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Removes addresses and keys from the text of a vendor's `error` event. Returns other messages unchanged. */
export function withoutSecrets(message: RealtimeMessage): RealtimeMessage {
  if (message.binary || eventType(message.data) !== "error") return message;
  const event = parseEvent(message.data);
  const error = event?.["error"];
  if (!isRecord(error) || typeof error["message"] !== "string") return message;
  const clean = cleanText(error["message"]);
  if (clean === error["message"]) return message;
  return { data: Buffer.from(JSON.stringify({ ...event, error: { ...error, message: clean } })), binary: false };
}
