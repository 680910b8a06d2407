import type { Failure, RealtimeWire } from "@modelgate/contracts";
import {
  errorEvent,
  eventMessage,
  goAwayMessage,
  liveCloseCode,
  type RealtimeMessage,
} from "@modelgate/wires/realtime";
import { carriedReason, closeCodes, type SessionEnding } from "./closing.ts";

/** Differences between the session formats of clients, apart from their messages. */
export interface SessionFormat {
  /** Wire of the format. */
  readonly wire: RealtimeWire;
  /** True if a message that is refused ends the session. */
  readonly endsRefused: boolean;
  /** Renders a failure; empty where the format has no message for it. */
  failed(failure: Failure, eventId: string, causedBy?: string): readonly RealtimeMessage[];
  /** Returns the ending for a session that a failure ends. */
  ending(ending: SessionEnding): SessionEnding;
  /** Returns the ending for a session whose message was refused. */
  refusal(failure: Failure): SessionEnding;
  /** Renders the announcement of the gateway's shutdown. */
  goesAway(leftMs: number): readonly RealtimeMessage[];
}

/** The realtime format: failures are events, and sessions continue after most of them. */
export const realtimeFormat: SessionFormat = {
  wire: "realtime",
  endsRefused: false,
  failed: (failure, eventId, causedBy) => [errorEvent(failure, eventId, causedBy)],
  ending: (ending) => ending,
  refusal: (failure) => ({ code: closeCodes.policy, reason: failure.code, failure }),
  goesAway: () => [],
};

/** The live format: a failure closes the session, with the failure as the close reason. */
export const liveFormat: SessionFormat = {
  wire: "gemini-live",
  endsRefused: true,
  failed: () => [],
  ending({ failure, reason, code, ...more }) {
    if (failure === undefined) return { code, reason, ...more };
    // A vendor's close is already in the live format.
    const isOurs = reason === failure.code;
    const shown = isOurs ? carriedReason(failure.message) : reason;
    return { code: code === closeCodes.tryAgain ? closeCodes.broken : code, reason: shown, failure, ...more };
  },
  refusal: (failure) => ({ code: liveCloseCode(failure), reason: failure.code, failure }),
  goesAway: (leftMs) => [eventMessage(goAwayMessage(leftMs))],
};
