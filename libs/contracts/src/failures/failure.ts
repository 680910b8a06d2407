import { failures, type FailureCode, type FailureKind } from "./registry.ts";

/** Details of a failure in addition to its cause. */
export interface FailureDetails extends ErrorOptions {
  /** The invalid field or header in the client's spelling: `messages[0].content`. */
  readonly param?: string | undefined;
  /** Seconds until the call may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  /** Methods that the path supports (405). */
  readonly allow?: readonly string[] | undefined;
  /** The vendor's error code, returned instead of ours if the vendor refused the client's input. */
  readonly vendorCode?: string | undefined;
  /** The vendor's status, if it refused the client's input with a 4xx status other than 400. */
  readonly status?: number | undefined;
  /** Value of `error.details` in an error body of the Anthropic format (`alpha`), for clients that evaluate it. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A failure that a client may see. Handlers throw it; one function per service renders it in the request's format. Any
 * other exception becomes `internal_error`, and its cause is only logged.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly vendorCode: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FailureCode, message?: string, details: FailureDetails = {}) {
    super(message ?? failures[code].message, details);
    this.code = code;
    this.status = details.status ?? failures[code].status;
    this.param = details.param;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.allow = details.allow;
    this.vendorCode = details.vendorCode;
    this.details = details.details;
  }

  /** Entry of this failure's code in the registry. */
  get kind(): FailureKind {
    return failures[this.code];
  }
}

/**
 * Converts any exception to a Failure: a Failure is returned, anything else becomes `internal_error` with the cause for
 * the log.
 */
export function asFailure(thrown: unknown): Failure {
  return thrown instanceof Failure ? thrown : new Failure("internal_error", undefined, { cause: thrown });
}
