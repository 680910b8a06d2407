import { isRecord } from "../../json/fields.ts";
import type { JsonObject } from "../hub/request.ts";

const wraps: ReadonlySet<string> = new Set(["output", "result", "error"]);

/**
 * A result's text as the object that this wire wants: an object as itself, other JSON under `result`, words (also JSON's own
 * strings, quotes and all) under `output`; an error under `error`. An object that looks like one of those goes under `result`.
 */
export function responseOf(text: string, isError: boolean): JsonObject {
  if (isError) return { error: text };
  const value = parsed(text);
  if (value === undefined || typeof value === "string") return { output: text };
  return isRecord(value) && !isWrapped(value) ? value : { result: value };
}

/** The text of a result, and whether it is an error. */
export function resultOf(response: JsonObject): { readonly text: string; readonly isError: boolean } {
  if (!isWrapped(response)) return { text: JSON.stringify(response), isError: false };
  const { output, result, error } = response;
  if (error !== undefined) return { text: wordsOf(error), isError: true };
  return { text: wordsOf(result ?? output), isError: false };
}

function isWrapped(value: JsonObject): boolean {
  const [name, ...others] = Object.keys(value);
  return name !== undefined && others.length === 0 && wraps.has(name) && (value[name] ?? undefined) !== undefined;
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value ?? undefined;
  } catch {
    return undefined;
  }
}
