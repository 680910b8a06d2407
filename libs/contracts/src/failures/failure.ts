import { failures, type FailureCode, type FailureKind } from "./registry.ts";

export interface FailureDetails extends ErrorOptions {
  /** Invalid field or header in the client's spelling, such as `messages[0].content`. */
  readonly param?: string | undefined;
  /** Seconds after which the client may retry. */
  readonly retryAfterSeconds?: number | undefined;
  /** Methods that the path supports (for status 405). */
  readonly allow?: readonly string[] | undefined;
  /** Vendor's error code, which replaces the gateway's code if the vendor refused the client's input. */
  readonly vendorCode?: string | undefined;
  /** Status of the vendor, if it refused the client's input with a 4xx status other than 400. */
  readonly status?: number | undefined;
  /** Value of `error.details` in an error body of the Anthropic format (`alpha`). */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Id of the budget that did not cover the call. Clients do not see it. */
  readonly budget?: string | undefined;
}

/** A failure whose message a client may see. Any other exception becomes `internal_error`, and is only logged. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly vendorCode: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly budget: string | undefined;

  constructor(code: FailureCode, message?: string, details: FailureDetails = {}) {
    super(message ?? failures[code].message, details);
    this.code = code;
    this.status = details.status ?? failures[code].status;
    this.param = details.param;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.allow = details.allow;
    this.vendorCode = details.vendorCode;
    this.details = details.details;
    this.budget = details.budget;
  }

  get kind(): FailureKind {
    return failures[this.code];
  }
}

/** Converts any exception to a Failure. Anything but a Failure becomes `internal_error`. */
export function asFailure(thrown: unknown): Failure {
  return thrown instanceof Failure ? thrown : new Failure("internal_error", undefined, { cause: thrown });
}
