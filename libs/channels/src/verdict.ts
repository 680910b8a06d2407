import { idsOf } from "@modelgate/platform";
import {
  Failure,
  inOneLine,
  maxVendorMessage,
  withoutUndefined,
  type FailureCode,
  type UpstreamWire,
} from "@modelgate/contracts";
import type { AttemptPlan, PreparedAttempt, UpstreamAnswer } from "./attempt-plan.ts";
import type { RequestRoute } from "./channel-request.ts";
import { fingerprintOf } from "./evidence.ts";
import { ProxyFailed, proxyTimeoutCode } from "./proxy.ts";
import type { Attempt, Blame, Health, SeenBy } from "./health.ts";
import { VendorRefusal } from "./refused.ts";
import { vendorRequestIdOf } from "./transport.ts";
import type { SupportedWires } from "./supported-wires.ts";

/** An attempt and its progress. */
export interface SentAttempt {
  readonly attempt: Attempt;
  /** Start of the attempt in Unix ms. */
  readonly startedAt: number;
  /** Wire of the attempt; undefined until it is chosen. */
  wire?: UpstreamWire;
  answer?: Pick<UpstreamAnswer, "status" | "headers">;
  /** Paths of the channel's headers and body members that were added to the request. */
  added?: readonly string[] | undefined;
  prepared?: Pick<PreparedAttempt<unknown>, "request" | "isUnrepeatable">;
}

/** Consequence of a failed attempt. */
export interface Verdict {
  readonly failure: Failure;
  /**
   * Next step. `otherWire`: the same route in another wire; `withoutSignatures`: the same route without thinking
   * signatures; `otherRoute`: another route; `none`: no further attempt.
   */
  readonly next: "none" | "otherWire" | "withoutSignatures" | "otherRoute";
}

type VerdictContext = Pick<
  AttemptPlan<unknown>,
  "callId" | "requestId" | "span" | "signal" | "wires" | "canDropSignatures"
> & {
  readonly history?: "withoutSignatures" | undefined;
  readonly refusingWire?: UpstreamWire | undefined;
};

/** Decides what follows a failed attempt, and reports the failure to the part of the route that caused it. */
export function verdictOn(
  error: unknown,
  sent: SentAttempt,
  plan: VerdictContext,
  { health, supportedWires }: { readonly health: Health; readonly supportedWires: SupportedWires },
): Verdict {
  if (plan.signal.aborted) return { failure: new Failure("upstream_error", undefined, { cause: error }), next: "none" };
  if (mayOtherEndpointServe(error, sent, plan, supportedWires)) return { failure: error.failure, next: "otherWire" };
  if (refusesSignatures(error, plan)) return { failure: error.failure, next: "withoutSignatures" };
  // A failure during preparation, such as that of a client's image, is not the vendor's fault.
  const blamed = sent.prepared === undefined ? undefined : blameOf(error);
  if (blamed !== undefined)
    health.reportFailure(sent.attempt, {
      ...blamed,
      body: fingerprintOf(sent.prepared?.request.body),
      seenBy: seenByOf(plan, sent, error),
    });
  if (sent.prepared?.isUnrepeatable === true && mayHaveReceived(error))
    return { failure: new Failure("create_uncertain", undefined, { cause: error }), next: "none" };
  return { failure: failureOf(error), next: mayRetryOnOtherRoute(error) ? "otherRoute" : "none" };
}

/** Maximum characters of a vendor's code in a log line. */
const maxCode = 200;

/**
 * Minimum length of a header's value that is removed from messages as a secret. A shorter value may occur by chance.
 */
const minSecret = 8;

/** Returns the error message of the vendor or the connection in one line, without our secrets. */
export function vendorMessageOf(
  error: unknown,
  { channel: { headers = {} }, key }: Pick<RequestRoute, "channel" | "key">,
): string | undefined {
  const { cause } = failureOf(error);
  const message =
    error instanceof VendorRefusal ? error.vendorError.message : cause instanceof Error ? cause.message : undefined;
  if (message === undefined) return undefined;
  const secrets = [key.secret, ...Object.values(headers).filter((value) => value.length >= minSecret)];
  const redacted = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), message);
  return inOneLine(redacted, maxVendorMessage);
}

function seenByOf(
  plan: Pick<VerdictContext, "callId" | "requestId" | "span">,
  { attempt, answer }: SentAttempt,
  error: unknown,
): SeenBy {
  const refused = error instanceof VendorRefusal ? error.vendorError : undefined;
  return {
    ...idsOf(plan),
    callId: plan.callId,
    status: answer?.status,
    vendorCode: refused?.code?.slice(0, maxCode),
    vendorMessage: vendorMessageOf(error, { channel: attempt.route.candidate.channel, key: attempt.route.key }),
    upstreamRequestId: answer === undefined ? undefined : vendorRequestIdOf(answer),
  };
}

function failureOf(error: unknown): Failure {
  if (error instanceof VendorRefusal) return error.failure;
  return error instanceof Failure ? error : new Failure("upstream_error", undefined, { cause: error });
}

/** Returns the part of the route that caused a failure; undefined if the vendor is not at fault. */
export function blameOf(error: unknown): Omit<Blame, "body" | "seenBy"> | undefined {
  if (error instanceof VendorRefusal) {
    const { meaning, retryAfterMs } = error;
    const reason = meaning.blame === "key" && meaning.vendorCode !== undefined ? meaning.vendorCode : meaning.code;
    if (meaning.blame === "request") return undefined;
    if (meaning.blame === "model") return { of: "model", reason, retryAfterMs };
    if (meaning.blame === "key") {
      const isRefusal = meaning.code === "upstream_auth_failed";
      return withoutUndefined({
        of: "key" as const,
        reason,
        retryAfterMs,
        isRefusal,
        isNeverClientFault: meaning.isNeverClientFault,
      });
    }
    return { of: "channel", reason, retryAfterMs };
  }
  const failure = failureOf(error);
  // A failure of the gateway, such as full buffers or an unsupported feature, is not the vendor's fault.
  if (failure.status < 500 || !failure.code.startsWith("upstream_")) return undefined;
  const code = codeOf(failure);
  if (code !== undefined && localErrorCodes.has(code)) return undefined;
  const isNeverClientFault =
    failure.cause instanceof ProxyFailed ? code !== proxyTimeoutCode : code !== undefined && isServerSideError(code);
  return { of: "channel", reason: failure.code, isNeverClientFault };
}

/** Error codes of an operating system that cannot open another connection. */
const localErrorCodes: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

/**
 * Error codes of connections that no client can cause. Timeouts and failures of a busy resolver are not included,
 * because an overloaded process can cause them too.
 */
const serverSideCodes: ReadonlySet<string> = new Set([
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

function isServerSideError(code: string): boolean {
  return serverSideCodes.has(code) || code.startsWith("CERT_");
}

function codeOf({ cause }: Failure): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

/** Records a missing or refusing endpoint. Returns true if another endpoint of the vendor may serve the call. */
function mayOtherEndpointServe(
  error: unknown,
  { attempt, wire }: SentAttempt,
  { wires, refusingWire }: VerdictContext,
  supportedWires: SupportedWires,
): error is VendorRefusal {
  if (!(error instanceof VendorRefusal) || wire === undefined) return false;
  const { candidate } = attempt.route;
  if (error.meaning.blame === "wire") supportedWires.reportMissing(candidate, wire);
  else if (error.meaning.isAboutEndpoint === true) supportedWires.reportRefusing(candidate, wire);
  else return false;
  return supportedWires.usableWires(candidate, wires).some((each) => each !== wire && each !== refusingWire);
}

/** Returns true if the vendor refused only thinking signatures, and the call can be sent without them. */
function refusesSignatures(error: unknown, { canDropSignatures, history }: VerdictContext): error is VendorRefusal {
  if (!(error instanceof VendorRefusal) || error.meaning.isAboutReasoningData !== true) return false;
  return canDropSignatures === true && history === undefined;
}

/**
 * Returns true if another route may succeed. An answer that was too large would be too large there as well. A gateway
 * that is overloaded would fail there too, and each vendor bills its answer.
 */
function mayRetryOnOtherRoute(error: unknown): boolean {
  if (error instanceof VendorRefusal) return error.meaning.retryable;
  if (error instanceof Failure && limitsOfGateway.has(error.code)) return false;
  return !(error instanceof Failure) || error.status >= 500 || error.code === "unsupported_parameter";
}

const limitsOfGateway: ReadonlySet<FailureCode> = new Set(["answer_too_large", "server_overloaded"]);

/** Error codes of connections on which no byte of the request was sent. */
const unsentCodes: ReadonlySet<string> = new Set([
  "NOTHING_SENT",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Returns true if the vendor may have received the request and started work. */
function mayHaveReceived(error: unknown): boolean {
  if (error instanceof VendorRefusal) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  if (!(error instanceof Failure)) return true;
  if (error.status < 500 || error.code === "no_available_channel" || error.cause instanceof ProxyFailed) return false;
  return !unsentCodes.has(codeOf(error) ?? "");
}
