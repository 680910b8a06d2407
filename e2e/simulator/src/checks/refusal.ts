import type { Path, Shape } from "./shape.ts";

/** What kind of mistake a vendor sees in a request. */
export type Problem = "unknown" | "missing" | "type" | "value";

/** A vendor's refusal, before it is put into that vendor's form. */
export class Refusal extends Error {
  readonly status: number;
  /** The vendor's own word for it; absent: what the vendor says by default for status and problem. */
  readonly code: string | undefined;
  readonly problem: Problem;
  /** Where in the body, outermost first; empty where no field is to blame. */
  readonly path: Path;
  /** When to retry, as the header says it. */
  readonly retryAfter: string | undefined;

  constructor(
    status: number,
    message: string,
    {
      code,
      problem = "value",
      path = [],
      retryAfter,
    }: { code?: string; problem?: Problem; path?: Path; retryAfter?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.problem = problem;
    this.path = path;
    this.retryAfter = retryAfter;
  }
}

/** A 400 that names a field. */
export function wrongField(path: Path, message: string, code?: string): Refusal {
  return new Refusal(400, message, { path, ...(code === undefined ? {} : { code }) });
}

/** `messages[0].content`. */
export function bracketPath(path: Path): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** `messages.0.content`. */
export function dottedPath(path: Path): string {
  return path.join(".");
}

/** Refuses what has not this shape; the refusal names the field. */
export function demand(value: unknown, shape: Shape): void {
  const wrong = shape(value, []);
  if (wrong === undefined) return;
  const { path, problem, expected } = wrong;
  const name = bracketPath(path) || "the body";
  const messages: Readonly<Record<Problem, string>> = {
    unknown: `There is no parameter '${name}'.`,
    missing: `Parameter '${name}' is required.`,
    type: `Parameter '${name}' has the wrong type: it must be ${expected}.`,
    value: `Parameter '${name}' has a wrong value: it must be ${expected}.`,
  };
  throw new Refusal(400, messages[problem], { problem, path });
}
