import { asFailure, Failure } from "@modelgate/contracts";

/** ioredis' errors if Redis does not answer. */
const errorNames: ReadonlySet<string> = new Set(["AbortError", "ClusterAllFailedError", "MaxRetriesPerRequestError"]);
/** Beginnings of error messages if Redis is unavailable, slow, loading or full. These errors have no specific name. */
const messageBeginnings = [
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

/** Creates the failure (503) of a step that needed an unavailable or slow store. */
export function storeUnavailable(cause: unknown): Failure {
  return new Failure("server_overloaded", "The gateway's store is unavailable or slow; try again shortly.", {
    cause,
    retryAfterSeconds: 1,
  });
}

/**
 * Converts any exception to a Failure: server_overloaded if a store is unavailable, internal_error for unknown ones.
 */
export function failureFrom(thrown: unknown): Failure {
  return isStoreUnavailable(thrown) ? storeUnavailable(thrown) : asFailure(thrown);
}

function isStoreUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof Failure) return false;
  return errorNames.has(thrown.name) || messageBeginnings.some((beginning) => thrown.message.startsWith(beginning));
}
