import { isRecord, memberOf } from "./members.ts";
import type { Problem } from "./refusal.ts";

/** Where a value stands in a body, outermost step first. */
export type Path = readonly (string | number)[];

/** The first thing that is wrong with a value. */
interface Wrong {
  readonly path: Path;
  readonly problem: Problem;
  readonly expected: string;
}

/** A check of one value; undefined: nothing is wrong. */
export type Shape = (value: unknown, path: Path) => Wrong | undefined;

type Fields = Readonly<Record<string, Shape>>;

const ofType = (expected: string, is: (value: unknown) => boolean): Shape => {
  return (value, path) => (is(value) ? undefined : { path, problem: "type", expected });
};

export const anything: Shape = () => undefined;
export const flag: Shape = ofType("a boolean", (value) => typeof value === "boolean");
export const anyObject: Shape = ofType("an object", isRecord);
export const anyText: Shape = ofType("a string", (value) => typeof value === "string");
export const anyNumber: Shape = ofType("a number", (value) => typeof value === "number");

/** A string that a pattern fits; `expected` says it in words. */
export function text(pattern: RegExp, expected: string): Shape {
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    return pattern.test(value) ? undefined : { path, problem: "value", expected };
  };
}

export const filledText: Shape = text(/\S/, "a string that is not blank");

/** Base64 of something, with or without padding, in either alphabet. */
export const base64: Shape = (value, path) => {
  if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
  const end = value.indexOf("=");
  const digits = end < 0 ? value : value.slice(0, end);
  const well = digits.length % 4 !== 1 && digits.length > 0 && !/[^\w+/-]/.test(digits);
  return well && /^={0,2}$/.test(value.slice(digits.length))
    ? undefined
    : { path, problem: "value", expected: "Base64" };
};

/** A number within bounds. */
export function number(least: number, most: number): Shape {
  const expected = `a number from ${least} to ${most}`;
  return (value, path) => {
    if (typeof value !== "number") return { path, problem: "type", expected: "a number" };
    return value >= least && value <= most ? undefined : { path, problem: "value", expected };
  };
}

/** A whole number within bounds. */
export function integer(least: number, most = Number.MAX_VALUE): Shape {
  const within = number(least, most);
  return (value, path) =>
    typeof value === "number" && !Number.isInteger(value)
      ? { path, problem: "type", expected: "an integer" }
      : within(value, path);
}

/** One of these words. */
export function oneOf(...words: readonly string[]): Shape {
  const expected = `one of ${words.join(", ")}`;
  return (value, path) => {
    if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
    return words.includes(value) ? undefined : { path, problem: "value", expected };
  };
}

/** An array of so many elements. */
export function list(of: Shape, { least = 0, most = 1e9 }: { least?: number; most?: number } = {}): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, problem: "type", expected: "an array" };
    if (value.length < least || value.length > most)
      return { path, problem: "value", expected: `an array of ${least} elements at least and ${most} at most` };
    for (const [at, element] of value.entries()) {
      const wrong = of(element, [...path, at]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** An object with all of `required`, any of `optional`, and nothing else. */
export function closed(required: Fields, optional: Fields = {}, { nulls = false }: { nulls?: boolean } = {}): Shape {
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
    for (const name of Object.keys(required))
      if (value[name] === undefined) return { path: [...path, name], problem: "missing", expected: "present" };
    for (const [name, member] of Object.entries(value)) {
      const shape = Object.hasOwn(required, name)
        ? required[name]
        : Object.hasOwn(optional, name)
          ? optional[name]
          : undefined;
      if (shape === undefined) return { path: [...path, name], problem: "unknown", expected: "absent" };
      if (nulls && member === null && !Object.hasOwn(required, name)) continue;
      const wrong = shape(member, [...path, name]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** The same, and what is optional may be null. */
export function closedOrNull(required: Fields, optional: Fields = {}): Shape {
  return closed(required, optional, { nulls: true });
}

/** An object whose members all have one shape. */
export function record(of: Shape): Shape {
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
    for (const [name, member] of Object.entries(value)) {
      const wrong = of(member, [...path, name]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** The value, or null. */
export function orNull(shape: Shape): Shape {
  return (value, path) => (value === null ? undefined : shape(value, path));
}

/** A value of the right type was looked at further than one of the wrong type. */
function furtherThan(one: Wrong, other: Wrong): boolean {
  const depth = ({ path, problem }: Wrong): number => path.length * 2 + (problem === "type" ? 0 : 1);
  return depth(one) > depth(other);
}

/** Any of these; the error is that of the one that went furthest into the value. */
export function either(...shapes: readonly Shape[]): Shape {
  return (value, path) => {
    let deepest: Wrong | undefined;
    for (const shape of shapes) {
      const wrong = shape(value, path);
      if (wrong === undefined) return undefined;
      if (deepest === undefined || furtherThan(wrong, deepest)) deepest = wrong;
    }
    return deepest;
  };
}

/** An object whose `tag` member says which shape it has; `fallback` is for one without a tag. */
export function tagged(tag: string, shapes: Fields, fallback?: Shape): Shape {
  const expected = `one of ${Object.keys(shapes).join(", ")}`;
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
    const word = memberOf(value, tag);
    if (word === undefined && fallback !== undefined) return fallback(value, path);
    if (word === undefined) return { path: [...path, tag], problem: "missing", expected };
    const shape = typeof word === "string" && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
    return shape === undefined ? { path: [...path, tag], problem: "value", expected } : shape(value, path);
  };
}
