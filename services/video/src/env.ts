import { serviceVariables, type EnvOf, type VariableReader } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

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
    firstMs: read.integer("LOOK_FIRST_MS", 2_000, "Time from a task's creation to the first poll.", { min: 10 }),
    longestMs: read.integer("LOOK_LONGEST_MS", 30_000, "Longest pause between two polls of a task.", { min: 10 }),
    usualMs: read.integer(
      "USUAL_MS",
      2 * minute,
      "How long a video usually takes: the progress that is shown where the vendor reports none.",
      { min: 1 },
    ),
  },
  frames: {
    timeoutMs: read.integer(
      "FRAME_FETCH_MS",
      20_000,
      "Longest time to fetch a picture from a client's address, for a vendor that takes its bytes only.",
      { min: 10 },
    ),
    mostRedirects: read.integer("FRAME_FETCH_REDIRECTS", 3, "Most redirects of such a fetch.", { max: 20 }),
    privateHosts: read.text(
      "FRAME_HOSTS",
      "",
      "Hosts of the operator's own network that pictures may be fetched from, separated by commas.",
    ),
  },
  callbacks: {
    privateHosts: read.text(
      "CALLBACK_HOSTS",
      "",
      "Hosts of the operator's own network that callbacks may go to, separated by commas; public hosts always may.",
    ),
    timeoutMs: read.integer("CALLBACK_TIMEOUT_MS", 10_000, "Longest wait for the answer to a callback.", { min: 10 }),
  },
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;

function taskVariables(read: VariableReader) {
  return {
    referenceBytes: read.integer("REFERENCE_BYTES", 32 * 1024 * 1024, "Largest reference picture of a form.", {
      min: 1_024,
    }),
    lifetimeMs: read.integer(
      "TASK_LIFETIME_MS",
      24 * hour,
      "Age at which a task that has not ended has failed, and its money is given back.",
      { min: 1_000 },
    ),
    keepMs: read.integer("TASK_KEEP_MS", 30 * 24 * hour, "How long an ended task can be fetched.", { min: 1_000 }),
    roundMs: read.integer("POLL_ROUND_MS", 500, "How often due tasks and callbacks are claimed.", { min: 10 }),
    batch: read.integer("POLL_BATCH", 8, "Most due tasks of one shard that are claimed at once.", {
      min: 1,
      max: 10_000,
    }),
    concurrency: read.integer("POLL_CONCURRENCY", 128, "Tasks that this process polls at their vendors at once.", {
      min: 1,
      max: 10_000,
    }),
    leaseMs: read.integer(
      "POLL_LEASE_MS",
      2 * minute,
      "Time after which a task claimed by a process that died is due.",
      {
        min: 100,
      },
    ),
    lookTimeoutMs: read.integer("LOOK_TIMEOUT_MS", 20_000, "Longest wait for a vendor's answer to a poll.", {
      min: 10,
    }),
    contentSilenceMs: read.integer(
      "CONTENT_SILENCE_MS",
      minute,
      "Longest silence of a vendor while a video is passed through.",
      { min: 10 },
    ),
    followMs: read.integer("FOLLOW_MS", 1_000, "How often a client that follows a task gets its news.", { min: 10 }),
  };
}
