import { cleanName, cleanWords } from "./clean.ts";

/**
 * The content of an error body, in the shapes that vendors use: `{error: {…}}`, `{error: "…"}`, `{message}`,
 * `{detail}`.
 */
export interface ErrorBody {
  /** The `code`, `type` and `status` of the body, each as text. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly param: string | undefined;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

/** Reads an error body, with cleaned texts; all members are undefined for a body that is not JSON. */
export function readErrorBody(body: string): ErrorBody {
  const parsed = parse(body);
  // Some vendors wrap the object into an array.
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const inner: unknown = isObject(outer) ? (outer["error"] ?? outer["detail"] ?? outer) : outer;
  const error: Readonly<Record<string, unknown>> = isObject(inner) ? inner : { message: inner };
  return {
    code: cleanName(error["code"]),
    type: cleanName(error["type"]),
    status: cleanName(error["status"]),
    message: typeof error["message"] === "string" ? cleanWords(error["message"]) : undefined,
    param: cleanName(error["param"]),
    details: Array.isArray(error["details"]) ? error["details"].filter(isObject) : [],
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Maximum length of an error in one line, in characters. */
const maxErrorCharacters = 300;

/**
 * Returns a vendor's error for an operator, in one line: the error body's message, else the body. Only the first line
 * of a message is used, since Amazon appends the text to be signed.
 */
export function errorInOneLine(body: string): string {
  const { message } = readErrorBody(body);
  const [first = ""] = message === undefined ? [body] : message.trim().split(/[\r\n]/);
  return cleanWords(first.replaceAll(/\s+/g, " ").trim()).slice(0, maxErrorCharacters);
}
