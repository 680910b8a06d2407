import { asFailure, Failure } from "@modelgate/contracts";

/** Names of ioredis' errors if Redis does not answer. */
const names: ReadonlySet<string> = new Set(["AbortError", "ClusterAllFailedError", "MaxRetriesPerRequestError"]);
/**
 * Parts of the messages of errors without a specific name: of ioredis, of the breaker, and of a Redis that is loading
 * or full.
 */
const words = [
  "Command timed out",
  "redis is slow",
  "Connection is closed",
  "Stream isn't writeable and enableOfflineQueue",
  "Cluster isn't ready and enableOfflineQueue",
  "Cluster is disconnect",
  "None of startup nodes is available",
  "Node is disconnected",
  "Too many Cluster redirections",
  "CLUSTERDOWN",
  "EXECABORT",
  "LOADING",
  "MASTERDOWN",
  "MISCONF",
  "OOM command not allowed",
  "READONLY",
  "TRYAGAIN",
];

/** Creates the failure of a step that needed a store which is unavailable or slow (503). */
export function storeAway(cause: unknown): Failure {
  return new Failure("server_overloaded", "The gateway's store is unavailable or slow; try again shortly.", {
    cause,
    retryAfterSeconds: 1,
  });
}

/**
 * Converts any exception to a Failure: an unavailable or slow store becomes server_overloaded, everything else
 * internal_error.
 */
export function failureOf(thrown: unknown): Failure {
  return isStoreAway(thrown) ? storeAway(thrown) : asFailure(thrown);
}

function isStoreAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof Failure) return false;
  return names.has(thrown.name) || words.some((beginning) => thrown.message.startsWith(beginning));
}
