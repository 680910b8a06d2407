import { realtimeWires, type Failure, type SessionWire } from "@modelgate/contracts";
import {
  errorEvent,
  eventMessage,
  goAwayMessage,
  isLiveAudio,
  isPlainAudio,
  liveCloseCode,
  liveErrorEvent,
  modelOfSetup,
  modelOfStart,
  type RealtimeMessage,
} from "@modelgate/wires/realtime";
import { sendableReason, closeCodes, type SessionEnding } from "./closing.ts";

/** Behaviour that differs between the session formats of clients, apart from their messages. */
export interface SessionFormat {
  /** Wire of the client's messages. */
  readonly wire: SessionWire;
  /** Wires of the vendors that can serve its sessions. */
  readonly vendorWires: readonly SessionWire[];
  /** True if sessions are billed by their duration instead of by response. */
  readonly isTimed: boolean;
  /** True if a refused message ends the session. */
  readonly endsOnRefusal: boolean;
  /** Returns true if a client's event contains only audio. Such an event may be larger than others. */
  isPlainAudio(data: Buffer): boolean;
  /** Renders a failure as messages; empty if the format has no message for failures. */
  renderFailure(failure: Failure, eventId: string, causedBy?: string): readonly RealtimeMessage[];
  /** Converts an ending to the close code and reason of this format. */
  convertEnding(ending: SessionEnding): SessionEnding;
  /** Returns the ending of a session whose message was refused. */
  endingByRefusal(failure: Failure): SessionEnding;
  /** Renders the announcement that the gateway shuts down; empty if the format has none. */
  renderGoAway(leftMs: number): readonly RealtimeMessage[];
}

/** Format whose first message names the session's model. That message is read after the protocol switch. */
export interface SetupFormat extends SessionFormat {
  /** Name of the first message in this format. */
  readonly setupName: string;
  /** Returns the model in the first message. Throws Failure. */
  modelOf(message: RealtimeMessage): string;
}

/** OpenAI's realtime format. Failures are events, and sessions continue after most of them. */
export const realtimeFormat: SessionFormat = {
  wire: "realtime",
  vendorWires: realtimeWires,
  isTimed: false,
  endsOnRefusal: false,
  isPlainAudio,
  renderFailure: (failure, eventId, causedBy) => [errorEvent(failure, eventId, causedBy)],
  convertEnding: (ending) => ending,
  endingByRefusal: refusalOf,
  renderGoAway: () => [],
};

/** Format of GPT-Live. Failures are events, and sessions continue after most of them. */
export const gptLiveFormat: SetupFormat = {
  wire: "gpt-live",
  vendorWires: ["gpt-live"],
  isTimed: true,
  endsOnRefusal: false,
  isPlainAudio: isLiveAudio,
  setupName: "session.start",
  modelOf: modelOfStart,
  renderFailure: (failure, eventId, causedBy) => [liveErrorEvent(failure, eventId, causedBy)],
  convertEnding: (ending) => ending,
  endingByRefusal: refusalOf,
  renderGoAway: () => [],
};

function refusalOf(failure: Failure): SessionEnding {
  const code = failure.kind.type === "upstream_error" ? closeCodes.broken : closeCodes.policy;
  return { code, reason: failure.code, failure };
}

/** Gemini's live format. A failure closes the session, with its text as the close reason. */
export const geminiLiveFormat: SetupFormat = {
  wire: "gemini-live",
  vendorWires: realtimeWires,
  isTimed: false,
  setupName: "setup",
  modelOf: modelOfSetup,
  endsOnRefusal: true,
  // A message with audio may have other members.
  isPlainAudio: () => false,
  renderFailure: () => [],
  convertEnding({ failure, reason, code, ...more }) {
    if (failure === undefined) return { code, reason, ...more };
    // The close reason of a vendor is already in this format.
    const isOurs = reason === failure.code;
    const closeReason = isOurs ? sendableReason(failure.message) : reason;
    return { code: code === closeCodes.tryAgain ? closeCodes.broken : code, reason: closeReason, failure, ...more };
  },
  endingByRefusal: (failure) => ({ code: liveCloseCode(failure), reason: failure.code, failure }),
  renderGoAway: (leftMs) => [eventMessage(goAwayMessage(leftMs))],
};
