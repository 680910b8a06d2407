import { cleanName, cleanText } from "./clean.ts";

/** Content of an error body in any vendor's structure: `{error: {…}}`, `{error: "…"}`, `{message}`, `{detail}`. */
export interface ErrorBody {
  /** Code, type and status are undefined unless they are plain names. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly param: string | undefined;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Parses an error body, and removes addresses and keys from its texts. For a body that is not JSON, all members are
 * undefined or empty.
 */
export function readErrorBody(body: string): ErrorBody {
  const parsed = parse(body);
  // Some vendors wrap the object in an array.
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const inner: unknown = isObject(outer) ? (outer["error"] ?? outer["detail"] ?? outer) : outer;
  const error: Readonly<Record<string, unknown>> = isObject(inner) ? inner : { message: inner };
  // Older services of Amazon capitalize the name.
  const message = error["message"] ?? error["Message"];
  return {
    code: cleanName(error["code"]),
    type: cleanName(error["type"]),
    status: cleanName(error["status"]),
    message: typeof message === "string" ? cleanText(message) : undefined,
    param: cleanName(error["param"]),
    details: [error["details"]].flat().filter(isObject),
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

const maxErrorCharacters = 300;

/** Returns the first line of a vendor's error, for operators. Amazon's further lines contain the signed text. */
export function errorInOneLine(body: string): string {
  const { message } = readErrorBody(body);
  const [first = ""] = message === undefined ? [body] : message.trim().split(/[\r\n]/);
  return cleanText(first.replaceAll(/\s+/g, " ").trim()).slice(0, maxErrorCharacters);
}
