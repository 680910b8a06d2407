import { serviceVariables, type EnvOf, type VariableReader } from "@modelgate/platform";
import { privateHostsVariable, relayVariables } from "@modelgate/relay";

const minute = 60_000;
const hour = 60 * minute;

/** Every variable that the video service reads, with its bounds. */
export const variables = serviceVariables("video", (read) => ({
  relay: relayVariables(read),
  publicUrl: read.optionalUrl(
    "PUBLIC_URL",
    "Address at which clients reach the edge, for links to videos in answers; unset: the host that the request named.",
  ),
  tasks: taskVariables(read),
  pace: {
    /** Time from a task's creation to the first poll. */
    firstMs: 2_000,
    /** Longest pause between two polls of a task. */
    longestMs: 30_000,
    /** Usual time of a video: the progress that is shown where the vendor reports none. */
    usualMs: 2 * minute,
  },
  frames: {
    /** Longest time to fetch a picture from a client's address, for a vendor that takes its bytes only. */
    timeoutMs: 20_000,
    /** Maximum redirects of such a fetch. */
    maxRedirects: 3,
    privateHosts: privateHostsVariable(read),
  },
  callbacks: {
    privateHosts: read.text(
      "CALLBACK_HOSTS",
      "",
      "Hosts of the operator's own network that callbacks may go to, separated by commas; public hosts always may.",
    ),
    /** Longest wait for the answer to a callback. */
    timeoutMs: 10_000,
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

function taskVariables(read: VariableReader) {
  return {
    /** Largest reference picture of a form. */
    referenceBytes: 32 * 1024 * 1024,
    lifetimeMs: read.integer(
      "TASK_LIFETIME_MS",
      24 * hour,
      "Age at which a task that has not ended has failed, and its money is given back.",
      { min: 1_000 },
    ),
    keepMs: read.integer("TASK_KEEP_MS", 30 * 24 * hour, "How long an ended task can be fetched.", { min: 1_000 }),
    /** Pause between two claims of due tasks and callbacks. */
    roundMs: 500,
    /** Maximum due tasks of one shard that are claimed at once. */
    batch: 8,
    /** Tasks that this process polls at their vendors at once. */
    concurrency: 128,
    /** Time after which a task claimed by a process that died is due. */
    leaseMs: 2 * minute,
    /** Longest wait for a vendor's answer to a poll. */
    pollTimeoutMs: 20_000,
    /** Longest silence of a vendor while a video is passed through. */
    contentSilenceMs: minute,
    /** Pause between two events for a client that follows a task. */
    followMs: 1_000,
  };
}
