import { failures, type FailureCode, type FailureKind } from "./registry.ts";

/** Details of a failure in addition to its cause. */
export interface FailureDetails extends ErrorOptions {
  /** The field or header that was wrong, as the client spelled it: `messages[0].content`. */
  readonly param?: string | undefined;
  /** Seconds until the call may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  /** Methods that the path does take (405). */
  readonly allow?: readonly string[] | undefined;
  /** The vendor's own code, given on instead of ours where the vendor refused the client's input. */
  readonly vendorCode?: string | undefined;
  /** The vendor's own status, where the client's input was refused with another 4xx than 400. */
  readonly status?: number | undefined;
  /** Value of `error.details` in the alpha body, for clients that act on it. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A failure that a client may see. Handlers throw it; one function per service renders it in the request's format.
 * Anything else that is thrown becomes `internal_error`, and its cause goes to the log only.
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

  /** The registry's row of this failure's cause. */
  get kind(): FailureKind {
    return failures[this.code];
  }
}

/** Whatever was thrown, as a Failure: itself, or `internal_error` with the cause kept for the log. */
export function asFailure(thrown: unknown): Failure {
  return thrown instanceof Failure ? thrown : new Failure("internal_error", undefined, { cause: thrown });
}
