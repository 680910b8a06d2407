import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Every variable that the realtime service reads, with its bounds. */
export const variables = serviceVariables("realtime", (read) => ({
  relay: relayVariables(read),
  sessions: {
    sessions: read.integer("SESSIONS", 10_000, "Sessions that the process holds at once.", { min: 1 }),
    // Vendors take audio of up to 15 MB at once.
    messageBytes: read.integer("MESSAGE_BYTES", 24 * mebibyte, "Largest message of either side.", { min: 1_024 }),
    eventBytes: read.integer("EVENT_BYTES", 4 * mebibyte, "Largest client event that is not audio alone.", {
      min: 1_024,
    }),
    eventValues: read.integer("EVENT_VALUES", 50_000, "Most values of such an event.", { min: 100 }),
    eventMembers: read.integer("EVENT_MEMBERS", 10_000, "Most members of all objects of such an event.", { min: 100 }),
    bufferedBytes: read.integer(
      "BUFFERED_BYTES",
      mebibyte,
      "Bytes that may wait to be written to one side before nothing more is read from the other.",
      { min: 1_024 },
    ),
    waitingResponses: read.integer(
      "WAITING_RESPONSES",
      16,
      "Requests for a response of one session that may wait for money; more are refused by an error event.",
      { min: 1, max: 1_000 },
    ),
    stallMs: read.integer("STALL_MS", 60_000, "How long a side may leave that waiting before it counts as gone.", {
      min: 100,
    }),
    pingMs: read.integer("PING_MS", 25_000, "Pause between two pings; a side that answers none of three is gone.", {
      min: 50,
    }),
    idleMs: read.integer("IDLE_MS", 15 * 60_000, "Longest silence of a session.", { min: 100 }),
    longestMs: read.integer("LONGEST_MS", 60 * 60_000, "Longest session.", { min: 100 }),
    firstEventMs: read.integer(
      "FIRST_EVENT_MS",
      10_000,
      "How long a vendor that speaks first may be silent after its connection is open.",
      { min: 10 },
    ),
    setupMs: read.integer("SETUP_MS", 10_000, "How long a client of the live format may take to send its setup.", {
      min: 10,
    }),
    // A transcript takes a while.
    lastUsageMs: read.integer(
      "LAST_USAGE_MS",
      10_000,
      "How long the vendor's usage of the last response and transcript is awaited after the client has left.",
      { max: 60_000 },
    ),
  },
  slice: {
    audioSeconds: read.integer(
      "HOLD_AUDIO_SECONDS",
      60,
      "Speech of each side that a session holds money for before each response.",
    ),
    textTokens: read.integer(
      "HOLD_TEXT_TOKENS",
      4_096,
      "Tokens of text of each side that a session holds money for before each response.",
    ),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
