import { isRecord, type JsonRecord } from "../json/fields.ts";

/**
 * Members under which some vendor reads a bound of its output. A body may hold several, and vendors differ in which one
 * they take: a call is held for the largest, and its vendor is sent one.
 */
const boundNames = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "max_tokens_to_sample",
  "maxTokens",
  "maxOutputTokens",
] as const;

/** What bounds the output of one answer. */
export interface Bounds {
  /** The largest bound; undefined where the wire's own members hold none. */
  readonly most: number | undefined;
  /** The members of the body that hold one. */
  readonly names: readonly string[];
}

/** The bounds in a body; `own` are the members that its wire has for them. */
export function boundsIn(body: object, own: readonly string[]): Bounds {
  const record: JsonRecord = isRecord(body) ? body : {};
  const names = boundNames.filter((name) => (record[name] ?? undefined) !== undefined);
  if (!names.some((name) => own.includes(name))) return { most: undefined, names };
  return { most: Math.max(0, ...names.map((name) => wholeNumber(record[name]))), names };
}

/** Members of a body that must not go to a vendor that reads its bound in the first of `order` that is there. */
export function surplusBounds(names: readonly string[], order: readonly string[]): readonly string[] {
  const read = order.find((name) => names.includes(name));
  return read === undefined ? [] : names.filter((name) => name !== read);
}

/** Tokens of thoughts that a chat body asks for beside its bound, as vendors other than the wire's own spell it. */
export function thoughtsBeside(body: object): number {
  const { thinking_budget: budget, thinking, reasoning }: JsonRecord = isRecord(body) ? body : {};
  const inThinking = isRecord(thinking) ? thinking["budget_tokens"] : undefined;
  const inReasoning = isRecord(reasoning) ? reasoning["max_tokens"] : undefined;
  return Math.max(0, ...[budget, inThinking, inReasoning].map(wholeNumber));
}

/** A whole number of a body, above 0; 0 for anything else. */
export function wholeNumber(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}
