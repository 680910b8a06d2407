import { contentVariables, serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const mebibyte = 1024 * 1024;

/** Environment variables of the realtime service. */
export const variables = serviceVariables("realtime", (read) => ({
  relay: relayVariables(read),
  content: contentVariables(read),
  sessions: {
    maxSessions: read.integer("SESSIONS", 10_000, "Maximum number of open sessions in the process.", { min: 1 }),
    /** Maximum bytes of a message of either side. Vendors accept audio of 15 MB, which is 20 MB in base64. */
    messageBytes: 24 * mebibyte,
    /** Maximum bytes of a client event that contains more than audio. */
    eventBytes: 4 * mebibyte,
    /** Maximum JSON values of a client event with more than audio. */
    eventValues: 50_000,
    /** Maximum members of all objects in a client event with more than audio. */
    eventMembers: 10_000,
    /** Maximum bytes that wait to be written to one side; above it, reading from the other side stops. */
    bufferedBytes: mebibyte,
    /** Maximum response requests of one session that wait for money; further ones are answered with an error event. */
    waitingResponses: 16,
    /** Time, in ms, without write progress after which a side is disconnected. */
    stallMs: 60_000,
    /** Interval, in ms, of pings; a side that misses three pongs is disconnected. */
    pingMs: 25_000,
    /** Maximum silence of a session, in ms. */
    idleMs: 15 * 60_000,
    /** Maximum duration of a session, in ms. */
    longestMs: 60 * 60_000,
    /** Maximum wait, in ms, for the first event of a vendor whose format requires one at the start. */
    firstEventMs: 10_000,
    /** Maximum wait, in ms, for the first message of a client whose format requires one at the start. */
    setupMs: 10_000,
    /** Maximum wait, in ms, for the vendor's usage after the client has disconnected. */
    lastUsageMs: 10_000,
    /** Time, in ms, for settlements after the last session has closed at a shutdown. */
    settlementMs: 1_500,
  },
  slice: {
    /** Seconds of speech, of each side, for which money is reserved before each response. */
    audioSeconds: 60,
    /** Text tokens of input, and of output, for which money is reserved before each response. */
    textTokens: 4_096,
  },
}));

/** Values of the variables, and the constants above. */
export type Env = EnvOf<typeof variables>;
