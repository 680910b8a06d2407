import { Failure } from "@modelgate/contracts";
import { inTurns, inTurnsIfLong } from "@modelgate/platform";
import {
  isRecord,
  parseInTurns,
  refuseTwiceInTurns,
  scanInTurns,
  stringifyInTurns,
  turnBytes,
  type JsonBounds,
} from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Bounds of JSON that its own reader has bounded already: a body that was read before, a vendor's answer. */
export const checkedBefore: JsonBounds = { depth: Infinity, values: Infinity, members: Infinity };

/** Whether JSON is so large that parsing it at once would hold up other calls. */
export function isLargeJson(bytes: Buffer): boolean {
  return bytes.length > turnBytes;
}

/**
 * Parses JSON within its bounds, a large one in turns with other calls. Rejects with SyntaxError, and with Failure
 * invalid_json (400) or request_too_large (413) for what is beyond the bounds.
 */
export async function parseJson(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  return await work(parseInTurns(bytes, bounds), bytes);
}

/** Refuses a parsed document in which an object has a member twice (`refuseTwice`), a large one in turns. */
export async function checkUnambiguous(bytes: Buffer, value: unknown): Promise<void> {
  await work(refuseTwiceInTurns(bytes, value), bytes);
}

/** Does work on a document: in turns with other calls where it is large, else at once. */
async function work<Result>(steps: Generator<undefined, Result>, bytes: Buffer): Promise<Result> {
  return await (isLargeJson(bytes) ? inTurns(steps) : inTurnsIfLong(steps));
}

/** Checks that JSON is within its bounds, in turns with other calls. Rejects with Failure as `parseJson` does. */
export async function checkJson(bytes: Buffer, bounds: JsonBounds): Promise<void> {
  await inTurns(scanInTurns(bytes, bounds));
}

/** Parses a body once more that `readJson` has read: an object, in turns where it is large. */
export async function reparseJson(bytes: Buffer): Promise<JsonObject> {
  const value: unknown = isLargeJson(bytes)
    ? await inTurns(parseInTurns(bytes, checkedBefore))
    : JSON.parse(bytes.toString());
  if (!isRecord(value)) throw new Failure("invalid_value", "The body must be a JSON object.");
  return value;
}

/** Renders JSON made from a body of so many bytes, in turns where that is large. */
export async function renderJson(value: unknown, bodyBytes: number): Promise<Buffer> {
  return bodyBytes > turnBytes ? await inTurns(stringifyInTurns(value)) : Buffer.from(JSON.stringify(value));
}
