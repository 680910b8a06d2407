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
  /** Undefined until it is known. */
  wire?: UpstreamWire;
  answer?: Pick<UpstreamAnswer, "status" | "headers">;
  prepared?: Pick<PreparedAttempt<unknown>, "request" | "unrepeatable">;
}

/** Consequence of a failed attempt: the failure for the client if no other attempt succeeds, and the next route. */
export interface Verdict {
  readonly failure: Failure;
  /**
   * `elsewhere`: the same route in another wire; `unsealed`: the same route without thinking signatures; `another`:
   * another route; `none`: no further attempt.
   */
  readonly next: "none" | "elsewhere" | "unsealed" | "another";
}

/** Facts about the call. */
type JudgedCall = Pick<AttemptPlan<unknown>, "callId" | "requestId" | "span" | "signal" | "wires" | "unsealable"> & {
  readonly history?: "unsealed" | undefined;
  readonly refusing?: UpstreamWire | undefined;
};

/** Judges a failed attempt, and counts it against the scope that it concerns. */
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
  // A request that the vendor may have received must not be sent again.
  if (sent.prepared?.unrepeatable === true && mayBeTaken(error))
    return { failure: new Failure("create_uncertain", undefined, { cause: error }), next: "none" };
  return { failure: failureOf(error), next: isWorthAnother(error) ? "another" : "none" };
}

/** Maximum characters of a vendor's code in a log line. */
const maxCode = 200;

/** Returns the error message of a vendor, or of a connection, for an operator: shortened, without our key. */
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

/** Returns the failure that the client gets if no other attempt succeeds. */
function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return error.failure;
  return error instanceof Failure ? error : new Failure("upstream_error", undefined, { cause: error });
}

/** Returns the part of the route that a failed attempt counts against; undefined if it does not concern the vendor. */
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
  // A failure of the gateway, such as a missing capacity or feature, does not count against the vendor.
  if (failure.status < 500 || !failure.code.startsWith("upstream_")) return undefined;
  const code = codeOf(failure);
  if (code !== undefined && ownTrouble.has(code)) return undefined;
  return { of: "channel", reason: failure.code, isCertain: code !== undefined && isUnprovoked(code) };
}

/** Error codes of a system that cannot open another connection; they do not concern the vendor. */
const ownTrouble: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

/**
 * Error codes of failed connections that no client can cause: the operator configured the address, and no byte of the
 * request was sent. Timeouts and busy resolvers are not included, because a busy process causes them too.
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

/** Returns the operating system's code in a failure's cause. */
function codeOf({ cause }: Failure): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

/**
 * Returns whether the vendor has another endpoint that may serve the call: this one is missing, or refuses the call for
 * its own reasons.
 */
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

/**
 * Returns whether the vendor only refused another vendor's thinking signatures, and the call can be sent without them.
 */
function isSealed(error: unknown, { unsealable, history }: JudgedCall): error is Refused {
  if (!(error instanceof Refused) || error.meaning.isAboutReasoningData !== true) return false;
  return unsealable === true && history === undefined;
}

/**
 * Returns whether another vendor may succeed after a failure of one vendor's wire; an answer that is too large would
 * also be too large from another.
 */
function isWorthAnother(error: unknown): boolean {
  if (error instanceof Refused) return error.meaning.retryable;
  if (error instanceof Failure && error.code === "answer_too_large") return false;
  return !(error instanceof Failure) || error.status >= 500 || error.code === "unsupported_parameter";
}

/** Error codes of connections that were never opened, or were closed before the first byte: no byte was sent. */
const neverSent: ReadonlySet<string> = new Set([
  "NOTHING_SENT",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Returns whether the vendor may have received the call; only an explicit refusal, or no connection, rules it out. */
function mayBeTaken(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  if (!(error instanceof Failure)) return true;
  if (error.status < 500 || error.code === "no_available_channel") return false;
  return !neverSent.has(codeOf(error) ?? "");
}
