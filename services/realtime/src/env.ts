import { contentVariables, serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Every variable that the realtime service reads, with its bounds. */
export const variables = serviceVariables("realtime", (read) => ({
  relay: relayVariables(read),
  content: contentVariables(read),
  sessions: {
    sessions: read.integer("SESSIONS", 10_000, "Sessions that the process holds at once.", { min: 1 }),
    // Vendors take audio of up to 15 MB at once.
    /** Largest message of either side. */
    messageBytes: 24 * mebibyte,
    /** Largest client event that is not audio alone. */
    eventBytes: 4 * mebibyte,
    /** Maximum values of such an event. */
    eventValues: 50_000,
    /** Maximum members of all objects of such an event. */
    eventMembers: 10_000,
    /** Bytes that may wait to be written to one side before nothing more is read from the other. */
    bufferedBytes: mebibyte,
    /** Requests for a response of one session that may wait for money; more are refused by an error event. */
    waitingResponses: 16,
    /** Time for which a side may leave that waiting before it counts as gone. */
    stallMs: 60_000,
    /** Pause between two pings; a side that answers none of three is gone. */
    pingMs: 25_000,
    /** Longest silence of a session. */
    idleMs: 15 * 60_000,
    /** Longest session. */
    longestMs: 60 * 60_000,
    /** Longest silence of a vendor that speaks first after its connection is open. */
    firstEventMs: 10_000,
    /** Longest wait for the setup of a client of the live format. */
    setupMs: 10_000,
    // A transcript takes a while.
    /** Longest wait for the vendor's usage of the last response and transcript after the client has left, ms: at most 60,000. */
    lastUsageMs: 10_000,
  },
  slice: {
    /** Speech of each side that a session holds money for before each response. */
    audioSeconds: 60,
    /** Text tokens that are held for before each response: this many of input, and this many of output. */
    textTokens: 4_096,
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
