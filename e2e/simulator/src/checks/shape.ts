import { isRecord } from "./members.ts";
import type { Problem } from "./refusal.ts";

/** Place of a value in a body, outermost step first. */
export type Path = readonly (string | number)[];

/** The first thing that is wrong with a value. */
export interface Wrong {
  readonly path: Path;
  readonly problem: Problem;
  readonly expected: string;
}

/** A check of one value; undefined: nothing is wrong. */
export type Shape = (value: unknown, path: Path) => Wrong | undefined;

const ofType = (expected: string, is: (value: unknown) => boolean): Shape => {
  return (value, path) => (is(value) ? undefined : { path, problem: "type", expected });
};

/** Checks a string with a pattern; `expected` says it in words. */
export function text(pattern: RegExp, expected: string): Shape {
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    return pattern.test(value) ? undefined : { path, problem: "value", expected };
  };
}

/** Checks Base64 of something, with or without padding, in either alphabet. */
export const base64: Shape = (value, path) => {
  if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
  const end = value.indexOf("=");
  const digits = end < 0 ? value : value.slice(0, end);
  const well = digits.length % 4 !== 1 && digits.length > 0 && !/[^\w+/-]/.test(digits);
  return well && /^={0,2}$/.test(value.slice(digits.length))
    ? undefined
    : { path, problem: "value", expected: "Base64" };
};

/** Checks a number within bounds. */
export function number(least = -Number.MAX_VALUE, most = Number.MAX_VALUE): Shape {
  return (value, path) => {
    if (typeof value !== "number") return { path, problem: "type", expected: "a number" };
    if (value >= least && value <= most) return undefined;
    return { path, problem: "value", expected: `a number from ${least} to ${most}` };
  };
}

/** Checks a whole number within bounds. */
export function integer(least?: number, most?: number): Shape {
  const within = number(least, most);
  return (value, path) =>
    typeof value === "number" && !Number.isInteger(value)
      ? { path, problem: "type", expected: "an integer" }
      : within(value, path);
}

/** Checks that the notation of shapes has names for. */
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
