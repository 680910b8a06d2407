import { serviceVariables, stateVariables, variable } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";

const minute = 60_000;
const hour = 60 * minute;

/** Every variable that the video service reads, with its bounds. */
export const variables = {
  ...serviceVariables("VIDEO"),
  ...stateVariables,
  ...relayVariables,
  /** Where clients reach the edge, for the addresses of videos in answers; unset: as the request named its host. */
  PUBLIC_URL: variable.optionalUrl(),
  /** Largest reference picture of a form. */
  REFERENCE_BYTES: variable.integer({ fallback: 32 * 1024 * 1024, min: 1_024 }),
  /** A task that has not ended by then has failed, and its money is given back. */
  TASK_LIFETIME_MS: variable.integer({ fallback: 24 * hour, min: 1_000 }),
  /** How long an ended task can be asked for. */
  TASK_KEEP_MS: variable.integer({ fallback: 30 * 24 * hour, min: 1_000 }),
  /** How often due tasks and callbacks are claimed, and at most how many tasks of one shard at once. */
  POLL_ROUND_MS: variable.integer({ fallback: 500, min: 10 }),
  POLL_BATCH: variable.integer({ fallback: 8, min: 1, max: 10_000 }),
  /** Looks of this process that are under way at once. */
  POLL_CONCURRENCY: variable.integer({ fallback: 128, min: 1, max: 10_000 }),
  /** A task that was claimed by a process that died is due again after this. */
  POLL_LEASE_MS: variable.integer({ fallback: 2 * minute, min: 100 }),
  /** Longest wait for a vendor's answer to a look. */
  LOOK_TIMEOUT_MS: variable.integer({ fallback: 20_000, min: 10 }),
  /** The first look comes after this, each further one later, up to the longest pause. */
  LOOK_FIRST_MS: variable.integer({ fallback: 2_000, min: 10 }),
  LOOK_LONGEST_MS: variable.integer({ fallback: 30_000, min: 10 }),
  /** How long a video usually takes: progress where the vendor tells none. */
  USUAL_MS: variable.integer({ fallback: 2 * minute, min: 1 }),
  /** Hosts of the operator's own network that callbacks may go to, separated by commas; the public internet always. */
  CALLBACK_HOSTS: variable.text(""),
  /** Longest wait for the answer to a callback. */
  CALLBACK_TIMEOUT_MS: variable.integer({ fallback: 10_000, min: 10 }),
  /** How often a client that follows a task is told what is new. */
  FOLLOW_MS: variable.integer({ fallback: 1_000, min: 10 }),
  /** Longest silence of a vendor while a video is passed through. */
  CONTENT_SILENCE_MS: variable.integer({ fallback: minute, min: 10 }),
};
