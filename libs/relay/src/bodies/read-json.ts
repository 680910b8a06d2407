import { Failure } from "@modelgate/contracts";
import {
  inTurns,
  inTurnsIfLong,
  nextTurn,
  readBody,
  type Body,
  type BodyLimits,
  type ServiceCall,
} from "@modelgate/platform";
import {
  isRecord,
  parseInTurns,
  parsePlain,
  refuseAmbiguous,
  refuseTwiceInTurns,
  scanInTurns,
  spliceMembers,
  stringifyInTurns,
  turnBytes,
  type JsonBounds,
} from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Bounds of a JSON body. */
export interface JsonLimits extends BodyLimits, JsonBounds {}

/** A JSON body: its bytes for forwarding, and what was seen in it. Dispose it when the bytes have been sent. */
export interface JsonBody<Seen> extends Body {
  readonly seen: Seen;
}

/**
 * Reads and parses a JSON body within its bounds; a large one is parsed in turns with other calls. Throws Failure for
 * everything that it can be instead, and what `inspect` throws. Only what `inspect` gives is kept: the parsed value of a large
 * body would live as long as its stream.
 */
export async function readJson<Seen>(
  {
    request,
    caller,
    ending,
    params,
    format,
  }: Pick<ServiceCall, "request" | "caller"> & Partial<Pick<ServiceCall, "ending" | "params" | "format">>,
  limits: JsonLimits,
  inspect: (value: unknown, bytes: Buffer) => Seen | Promise<Seen>,
): Promise<JsonBody<Seen>> {
  const type = request.headers["content-type"];
  // Ollama reads JSON whatever it is called: its own documentation sends it with curl, as a form.
  if (type !== undefined && format !== "ollama" && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new Failure(
      "unsupported_media_type",
      `The content type must be application/json, not ${JSON.stringify(type.slice(0, 100))}.`,
      { param: "content-type" },
    );
  }
  const body = await readBody(request, limits, caller, ending);
  try {
    const parsed = parsePlain(body.bytes, limits) ?? (await parseBody(body.bytes, limits));
    const model = params?.["deployment"];
    const { value, bytes } =
      model === undefined ? { value: parsed, bytes: body.bytes } : deployed(parsed, body.bytes, model);
    const seen = await inspect(value, bytes);
    return { bytes, seen, holding: body.holding, [Symbol.dispose]: () => body[Symbol.dispose]() };
  } catch (error) {
    body[Symbol.dispose]();
    throw error;
  }
}

/** Parses a whole JSON body within its bounds. Throws Failure for what is invalid, or can be read in two ways. */
export async function parseBody(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  let value: unknown;
  try {
    value = await inTurnsFor(bytes, parseInTurns(bytes, bounds));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's words quote the body: they may hold what a client would not want in a log.
    const at = /at position \d+/.exec(error.message);
    throw new Failure("invalid_json", `The body is not valid JSON${at === null ? "" : ` (${at[0]})`}.`);
  }
  // What is checked and priced here must be what the vendor reads: no object may have a member twice.
  await inTurnsFor(bytes, refuseTwiceInTurns(bytes, value));
  // Looking through a large value takes a turn of its own.
  if (isLargeJson(bytes)) await nextTurn();
  return value;
}

/** The body with the model that the path names as a deployment, whatever the body itself names. */
function deployed(value: unknown, bytes: Buffer, model: string) {
  if (!isRecord(value)) return { value, bytes };
  return { value: { ...value, model }, bytes: spliceMembers(bytes, { model: JSON.stringify(model) }) };
}

/** An inspection of a body through `read`, which also refuses members whose names parsers may read in two ways. */
export function checked<Seen>(
  read: (value: unknown) => Seen | Promise<Seen>,
  relied: readonly string[],
): (value: unknown, bytes: Buffer) => Promise<Seen> {
  return async (value, bytes) => {
    const seen = await read(value);
    refuseAmbiguous(bytes, relied);
    return seen;
  };
}

/** Bounds of JSON that its own reader has bounded already: a body that was read before, a vendor's answer. */
export const checkedBefore: JsonBounds = { depth: Infinity, values: Infinity, members: Infinity };

/** Returns whether JSON is so large that parsing it at once would hold up other calls. */
export function isLargeJson(bytes: Buffer): boolean {
  return bytes.length > turnBytes;
}

/**
 * Parses JSON within its bounds, a large one in turns with other calls. Rejects with SyntaxError, and with Failure
 * invalid_json (400) or request_too_large (413) for what is beyond the bounds.
 */
export async function parseJson(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  return await inTurnsFor(bytes, parseInTurns(bytes, bounds));
}

/** Does work on a document: in turns with other calls where it is large, else at once. */
function inTurnsFor<Result>(bytes: Buffer, steps: Generator<undefined, Result>): Result | Promise<Result> {
  return isLargeJson(bytes) ? inTurns(steps) : inTurnsIfLong(steps);
}

/** Checks that JSON is within its bounds and counts it, in turns with other calls. Rejects with Failure as `parseJson` does. */
export async function checkJson(bytes: Buffer, bounds: JsonBounds): Promise<Pick<JsonBounds, "values" | "members">> {
  const { values, members } = await inTurnsFor(bytes, scanInTurns(bytes, bounds));
  return { values, members };
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
