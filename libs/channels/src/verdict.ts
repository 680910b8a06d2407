import { Failure } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import type { AttemptPlan } from "./attempt-plan.ts";
import type { Health } from "./health.ts";
import { modelPlaceOf, placeOf, type Way } from "./pick.ts";
import { Refused } from "./refused.ts";

/** How long a key rests whose vendor said neither when nor why to come back. */
const refusedKeyRestMs = 60_000;

/** What a failed attempt comes to: what the client sees if nothing better comes, and which way is next. */
export interface Verdict {
  readonly failure: Failure;
  readonly next: "none" | "same" | "another";
}

/** Judges a failed attempt, and notes whose failure it was. */
export function verdictOn(error: unknown, way: Way, plan: AttemptPlan<unknown>, health: Health): Verdict {
  if (plan.signal.aborted) return { failure: new Failure("upstream_error", undefined, { cause: error }), next: "none" };
  if (isElsewhere(error, way, plan) || isSealed(error, plan)) return { failure: error.failure, next: "same" };
  const failure = blame(error, way, health);
  // What may have been taken by the vendor must not be sent again.
  if (plan.unrepeatable === true && mayBeTaken(error))
    return { failure: new Failure("create_uncertain", undefined, { cause: error }), next: "none" };
  return { failure, next: isWorthAnother(error) ? "another" : "none" };
}

/** Notes who failed, and gives the failure that the client sees if nothing better comes. */
function blame(error: unknown, way: Way, health: Health): Failure {
  if (error instanceof Refused) {
    const { meaning, retryAfterMs, failure } = error;
    if (meaning.keyIsInvalid === true) health.refused(placeOf(way), meaning.code);
    else if (meaning.blame === "key")
      health.failed(
        placeOf(way),
        meaning.code,
        retryAfterMs ?? (meaning.code === "upstream_auth_failed" ? refusedKeyRestMs : undefined),
      );
    if (meaning.blame === "model") health.failed(modelPlaceOf(way.candidate), meaning.code, retryAfterMs);
    if (meaning.blame === "channel" || meaning.blame === "wire")
      health.failed(way.candidate.channel.id, meaning.code, retryAfterMs);
    return failure;
  }
  const failure = error instanceof Failure ? error : new Failure("upstream_error", undefined, { cause: error });
  // What the gateway itself has no room or no words for is no vendor's failure.
  if (failure.status >= 500 && failure.code.startsWith("upstream_"))
    health.failed(way.candidate.channel.id, failure.code);
  return failure;
}

/** Whether the vendor only lacks that endpoint and has another one that may serve the call. */
function isElsewhere(error: unknown, way: Way, plan: AttemptPlan<unknown>): error is Refused {
  if (!(error instanceof Refused) || error.meaning.blame !== "wire") return false;
  const provider = providers[way.candidate.channel.provider];
  return provider !== undefined && plan.unspoken(way, provider);
}

/** Whether only the seals of another vendor's thoughts were refused, and the call can go without them. */
function isSealed(error: unknown, plan: AttemptPlan<unknown>): error is Refused {
  return error instanceof Refused && error.meaning.aboutSeals === true && plan.unsealed?.() === true;
}

/** What one vendor's wire cannot say, another's may. */
function isWorthAnother(error: unknown): boolean {
  if (error instanceof Refused) return error.meaning.retryable;
  return !(error instanceof Failure) || error.status >= 500 || error.code === "unsupported_parameter";
}

/** Connections that never came to be, or were gone before the first byte: nothing was sent. */
const neverSent: ReadonlySet<string> = new Set([
  "NOTHING_SENT",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether the vendor may have taken a call all the same: only a plain refusal, or no connection, rules it out. */
function mayBeTaken(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  if (!(error instanceof Failure)) return true;
  if (error.status < 500 || error.code === "no_available_channel") return false;
  const { cause } = error;
  return !(cause instanceof Error && "code" in cause && neverSent.has(String(cause.code)));
}
