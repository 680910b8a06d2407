import { idsOf } from "@modelgate/platform";
import { Failure, inOneLine, maxVendorMessage, present, type UpstreamWire } from "@modelgate/contracts";
import type { AttemptPlan, PreparedAttempt, UpstreamAnswer } from "./attempt-plan.ts";
import { fingerprintOf } from "./evidence.ts";
import type { Attempt, Blame, Health, SeenBy } from "./health.ts";
import { Refused } from "./refused.ts";
import { vendorRequestIdOf } from "./transport.ts";
import type { SupportedWires } from "./supported-wires.ts";

/** An attempt that was made. */
export interface SentAttempt {
  readonly attempt: Attempt;
  /** Unix ms. */
  readonly at: number;
  /** Undefined until they are known. */
  wire?: UpstreamWire;
  answer?: Pick<UpstreamAnswer, "status" | "headers">;
  prepared?: Pick<PreparedAttempt<unknown>, "request" | "unrepeatable">;
}

/** Consequence of a failed attempt: the failure for the client if nothing better comes, and the next route. */
export interface Verdict {
  readonly failure: Failure;
  /** The same route again, in another wire or without seals of thoughts; or another route. */
  readonly next: "none" | "elsewhere" | "unsealed" | "another";
}

/** Facts about the call. */
type JudgedCall = Pick<AttemptPlan<unknown>, "callId" | "requestId" | "span" | "signal" | "wires" | "unsealable"> & {
  readonly history?: "unsealed" | undefined;
  readonly refusing?: UpstreamWire | undefined;
};

/** Judges a failed attempt, and counts it against whom it speaks. */
export function verdictOn(
  error: unknown,
  sent: SentAttempt,
  plan: JudgedCall,
  { health, supportedWires }: { readonly health: Health; readonly supportedWires: SupportedWires },
): Verdict {
  if (plan.signal.aborted) return { failure: new Failure("upstream_error", undefined, { cause: error }), next: "none" };
  if (isElsewhere(error, sent, plan, supportedWires)) return { failure: error.failure, next: "elsewhere" };
  if (isSealed(error, plan)) return { failure: error.failure, next: "unsealed" };
  const blamed = blameOf(error);
  if (blamed !== undefined)
    health.failed(sent.attempt, {
      ...blamed,
      body: fingerprintOf(sent.prepared?.request.body),
      seenBy: seenBy(plan, sent, error),
    });
  // What may have been taken by the vendor must not be sent again.
  if (sent.prepared?.unrepeatable === true && mayBeTaken(error))
    return { failure: new Failure("create_uncertain", undefined, { cause: error }), next: "none" };
  return { failure: failureOf(error), next: isWorthAnother(error) ? "another" : "none" };
}

/** Longest code of a vendor that a log line repeats. */
const maxCode = 200;

/** Returns the message of a vendor, or of a connection's error, as an operator may see it: bounded, without our key. */
export function vendorMessageOf(error: unknown, secret: string): string | undefined {
  const { cause } = failureOf(error);
  const message =
    error instanceof Refused ? error.vendorError.message : cause instanceof Error ? cause.message : undefined;
  return message === undefined ? undefined : inOneLine(message.replaceAll(secret, "[redacted]"), maxVendorMessage);
}

/** Describes the call that saw a failure, with the vendor's message. */
function seenBy(
  plan: Pick<JudgedCall, "callId" | "requestId" | "span">,
  { attempt, answer }: SentAttempt,
  error: unknown,
): SeenBy {
  const refused = error instanceof Refused ? error.vendorError : undefined;
  return {
    ...idsOf(plan),
    callId: plan.callId,
    status: answer?.status,
    vendorCode: refused?.code?.slice(0, maxCode),
    vendorMessage: vendorMessageOf(error, attempt.route.key.secret),
    upstreamRequestId: answer === undefined ? undefined : vendorRequestIdOf(answer),
  };
}

/** The failure that the client sees if nothing better comes. */
function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return error.failure;
  return error instanceof Failure ? error : new Failure("upstream_error", undefined, { cause: error });
}

/** Returns the subject that a failed attempt speaks against; undefined: nothing of the vendor's. */
export function blameOf(error: unknown): Omit<Blame, "body" | "seenBy"> | undefined {
  if (error instanceof Refused) {
    const { meaning, retryAfterMs } = error;
    const reason = meaning.blame === "key" && meaning.vendorCode !== undefined ? meaning.vendorCode : meaning.code;
    if (meaning.blame === "request") return undefined;
    if (meaning.blame === "model") return { of: "model", reason, retryAfterMs };
    if (meaning.blame === "key") {
      const isRefusal = meaning.code === "upstream_auth_failed";
      return present({ of: "key" as const, reason, retryAfterMs, isRefusal, isCertain: meaning.isCertain });
    }
    return { of: "channel", reason, retryAfterMs };
  }
  const failure = failureOf(error);
  // What the gateway itself has no room or no words for is no vendor's failure.
  if (failure.status < 500 || !failure.code.startsWith("upstream_")) return undefined;
  const code = codeOf(failure);
  if (code !== undefined && ownTrouble.has(code)) return undefined;
  return { of: "channel", reason: failure.code, isCertain: code !== undefined && isUnprovoked(code) };
}

/** The system has no room for another connection: that says nothing of the vendor. */
const ownTrouble: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

/**
 * Connections that no client can prevent: the address is the operator's, and nothing of the request was sent. A connection
 * that takes too long is not among them, nor a resolver that is busy: a process that is kept busy sees those as well.
 */
const unprovoked: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function isUnprovoked(code: string): boolean {
  return unprovoked.has(code) || code.startsWith("CERT_");
}

/** The system's code of what a failure was caused by. */
function codeOf({ cause }: Failure): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

/** Returns whether the vendor has another endpoint that may serve the call: this one is missing, or refuses for its own sake. */
function isElsewhere(
  error: unknown,
  { attempt, wire }: SentAttempt,
  { wires, refusing }: JudgedCall,
  supportedWires: SupportedWires,
): error is Refused {
  if (!(error instanceof Refused) || wire === undefined) return false;
  const { candidate } = attempt.route;
  if (error.meaning.blame === "wire") supportedWires.missing(candidate, wire);
  else if (error.meaning.isAboutEndpoint === true) supportedWires.refusing(candidate, wire);
  else return false;
  return supportedWires.usable(candidate, wires).some((each) => each !== wire && each !== refusing);
}

/** Returns whether only the seals of another vendor's thoughts were refused, and the call can go without them. */
function isSealed(error: unknown, { unsealable, history }: JudgedCall): error is Refused {
  if (!(error instanceof Refused) || error.meaning.isAboutSeals !== true) return false;
  return unsealable === true && history === undefined;
}

/** Failures of one vendor's wire that another's may not have; an answer that is too large would be so from another as well. */
function isWorthAnother(error: unknown): boolean {
  if (error instanceof Refused) return error.meaning.retryable;
  if (error instanceof Failure && error.code === "answer_too_large") return false;
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

/** Returns whether the vendor may have taken a call all the same: only a plain refusal, or no connection, rules it out. */
function mayBeTaken(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  if (!(error instanceof Failure)) return true;
  if (error.status < 500 || error.code === "no_available_channel") return false;
  return !neverSent.has(codeOf(error) ?? "");
}
