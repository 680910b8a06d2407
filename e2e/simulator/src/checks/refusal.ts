import type { Path, Shape } from "./shape.ts";

/** Kind of mistake in a request. */
export type Problem = "unknown" | "missing" | "type" | "value";

/** Refusal of a request, which each vendor renders in a different form. */
export class Refusal extends Error {
  readonly status: number;
  /** Error code of the vendor. If undefined, the vendor derives it from status and problem. */
  readonly code: string | undefined;
  readonly problem: Problem;
  /** Path of the invalid field, or an empty text. */
  readonly path: Path;
  /** Header `retry-after`. */
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

/** Creates a refusal with status 400 that names a field. */
export function wrongField(path: Path, message: string, code?: string): Refusal {
  return new Refusal(400, message, { path, ...(code === undefined ? {} : { code }) });
}

/** Formats a path as `messages[0].content`. */
export function bracketPath(path: Path): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** Formats a path as `messages.0.content`. */
export function dottedPath(path: Path): string {
  return path.join(".");
}

/** Throws a Refusal if a value does not have a shape. */
export function requireShape(value: unknown, shape: Shape): void {
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
