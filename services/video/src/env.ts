import { serviceVariables, type EnvOf, type VariableReader } from "@modelgate/platform";
import { privateHostsVariable, relayVariables } from "@modelgate/relay";

const minute = 60_000;
const hour = 60 * minute;

/** Environment variables of the video service. */
export const variables = serviceVariables("video", (read) => ({
  relay: relayVariables(read),
  publicUrl: read.optionalUrl(
    "PUBLIC_URL",
    "Address of the edge for clients. Links to videos in answers begin with it. If unset, they begin with the host of the client's request.",
  ),
  tasks: taskVariables(read),
  pace: {
    /** Time in ms from the creation of a task to its first poll. */
    firstMs: 2_000,
    /** Usual maximum pause in ms between two polls of a task. */
    longestMs: 30_000,
    /** Usual duration of a task in ms. The progress is estimated from it if the vendor reports none. */
    usualMs: 2 * minute,
  },
  frames: {
    /** Maximum ms to fetch an image from a client's URL, for a vendor that accepts no URLs. */
    timeoutMs: 20_000,
    /** Maximum redirects when an image is fetched. */
    maxRedirects: 3,
    privateHosts: privateHostsVariable(read),
  },
  callbacks: {
    privateHosts: read.text(
      "CALLBACK_HOSTS",
      "",
      "Hosts of the operator's network to which callbacks may be sent, separated by commas. Public hosts are always allowed.",
    ),
    /** Maximum ms to wait for the answer to a callback. */
    timeoutMs: 10_000,
  },
}));

/** Values of the variables, and the constants above. */
export type Env = EnvOf<typeof variables>;

function taskVariables(read: VariableReader) {
  return {
    /** Maximum bytes of a reference image. */
    referenceBytes: 32 * 1024 * 1024,
    lifetimeMs: read.integer(
      "TASK_LIFETIME_MS",
      24 * hour,
      "Age at which an unfinished task fails and its reserved money is returned.",
      { min: 1_000 },
    ),
    keepMs: read.integer("TASK_KEEP_MS", 30 * 24 * hour, "Time for which an ended task is stored.", { min: 1_000 }),
    /** Pause in ms between two claims of due tasks and callbacks. */
    roundMs: 1_000,
    /** Maximum due tasks of one shard that are claimed at a time. */
    batch: 8,
    /** Maximum tasks that this process polls at the same time. */
    concurrency: 128,
    /** Lease of a claim in ms. If the process dies, the task is due again when the lease ends. */
    leaseMs: 2 * minute,
    /** Maximum ms to wait for a vendor's answer to a poll. */
    pollTimeoutMs: 20_000,
    /** Maximum ms without data from the vendor while a video is passed to a client. */
    contentSilenceMs: minute,
    /** Interval in ms at which a task is read for a client that follows it. */
    followMs: 1_000,
  };
}
