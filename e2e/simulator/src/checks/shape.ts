import { isRecord } from "./members.ts";
import type { Problem } from "./refusal.ts";

/** Path of a value in a body. */
export type Path = readonly (string | number)[];

export interface ShapeMistake {
  readonly path: Path;
  readonly problem: Problem;
  readonly expected: string;
}

/** Returns the first mistake of a value, or undefined. */
export type Shape = (value: unknown, path: Path) => ShapeMistake | undefined;

const ofType = (expected: string, is: (value: unknown) => boolean): Shape => {
  return (value, path) => (is(value) ? undefined : { path, problem: "type", expected });
};

/** Creates a check of a string. `expected` describes the pattern. */
export function text(pattern: RegExp, expected: string): Shape {
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    return pattern.test(value) ? undefined : { path, problem: "value", expected };
  };
}

/** Checks non-empty Base64, with or without padding, in either alphabet. */
export const base64: Shape = (value, path) => {
  if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
  const end = value.indexOf("=");
  const digits = end < 0 ? value : value.slice(0, end);
  const isBase64 = digits.length % 4 !== 1 && digits.length > 0 && !/[^\w+/-]/.test(digits);
  return isBase64 && /^={0,2}$/.test(value.slice(digits.length))
    ? undefined
    : { path, problem: "value", expected: "Base64" };
};

/** Creates a check of a number. */
export function number(min = -Number.MAX_VALUE, max = Number.MAX_VALUE): Shape {
  return (value, path) => {
    if (typeof value !== "number") return { path, problem: "type", expected: "a number" };
    if (value >= min && value <= max) return undefined;
    return { path, problem: "value", expected: `a number from ${min} to ${max}` };
  };
}

/** Creates a check of a whole number. */
export function integer(min?: number, max?: number): Shape {
  const within = number(min, max);
  return (value, path) =>
    typeof value === "number" && !Number.isInteger(value)
      ? { path, problem: "type", expected: "an integer" }
      : within(value, path);
}

/** Checks that shapes can name, such as `filled`. */
export const namedChecks: Readonly<Record<string, Shape>> = {
  any: () => undefined,
  boolean: ofType("a boolean", (value) => typeof value === "boolean"),
  object: ofType("an object", isRecord),
  string: ofType("a string", (value) => typeof value === "string"),
  number: number(),
  integer: integer(),
  filled: text(/\S/, "a string that is not blank"),
  base64,
};
