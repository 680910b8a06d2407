import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

/** Every variable that the realtime service reads, with its bounds. */
export const variables = {
  ...serviceVariables("REALTIME"),
  ...stateVariables,
  ...relayVariables,
  /** Sessions that the process holds at once. */
  SESSIONS: variable.integer({ fallback: 10_000, min: 1 }),
  /** Largest message of either side; vendors take audio of up to 15 MB at once. */
  MESSAGE_BYTES: variable.integer({ fallback: 24 * 1024 * 1024, min: 1_024 }),
  /** Largest event of a client's that is not audio alone, and most values and members of it: it is parsed at once, several times. */
  EVENT_BYTES: variable.integer({ fallback: 4 * 1024 * 1024, min: 1_024 }),
  EVENT_VALUES: variable.integer({ fallback: 50_000, min: 100 }),
  EVENT_MEMBERS: variable.integer({ fallback: 10_000, min: 100 }),
  /** Bytes that may wait for one side before the other is not read on. */
  BUFFERED_BYTES: variable.integer({ fallback: 1024 * 1024, min: 1_024 }),
  /** Requests for a response that wait for money in a session; more of them are refused by an error event. */
  WAITING_RESPONSES: variable.integer({ fallback: 16, min: 1, max: 1_000 }),
  /** How long a side may leave them waiting before it counts as gone. */
  STALL_MS: variable.integer({ fallback: 60_000, min: 100 }),
  /** Pause between two pings; a side that gives no sign of life through three of them is gone. */
  PING_MS: variable.integer({ fallback: 25_000, min: 50 }),
  /** Longest silence of a session, and its longest life. */
  IDLE_MS: variable.integer({ fallback: 15 * 60_000, min: 100 }),
  LONGEST_MS: variable.integer({ fallback: 60 * 60_000, min: 100 }),
  /** How long a vendor that speaks first may be silent after its connection is open. */
  FIRST_EVENT_MS: variable.integer({ fallback: 10_000, min: 10 }),
  /** How long a vendor is still heard, after the client has left, for the usage of what it was asked: a transcript takes a while. */
  LAST_USAGE_MS: variable.integer({ fallback: 10_000, min: 0, max: 60_000 }),
  /** What a session holds for its next response: so much speech of each side, and so many tokens of text. */
  HOLD_AUDIO_SECONDS: variable.integer({ fallback: 60, min: 0 }),
  HOLD_TEXT_TOKENS: variable.integer({ fallback: 4_096, min: 0 }),
};
