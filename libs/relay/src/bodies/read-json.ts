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
  refuseDuplicatesInTurns,
  scanInTurns,
  spliceInTurns,
  stringifyInTurns,
  maxStepBytes,
  type JsonBounds,
} from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

export interface JsonLimits extends BodyLimits, JsonBounds {}

/** A JSON body: its bytes for the vendor, and the result of `inspect`. Disposal releases their memory. */
export interface JsonBody<Inspected> extends Body {
  readonly inspected: Inspected;
}

/**
 * Reads and parses a JSON body within its limits. Throws Failure if the body is not acceptable, and the exceptions of
 * `inspect`. The parsed value is not returned, because it would occupy memory until the answer has ended.
 *
 * @param inspectedMembers members whose names must be unambiguous, because other parsers may read them differently
 */
export async function readJson<Inspected>(
  {
    request,
    caller,
    ending,
    params,
    format,
  }: Pick<ServiceCall, "request" | "caller"> & Partial<Pick<ServiceCall, "ending" | "params" | "format">>,
  limits: JsonLimits,
  inspect: (value: unknown, bytes: Buffer) => Inspected | Promise<Inspected>,
  inspectedMembers: readonly string[] = [],
): Promise<JsonBody<Inspected>> {
  const type = request.headers["content-type"];
  // Ollama accepts JSON with any content type; the curl examples of its documentation send that of a form.
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
      model === undefined ? { value: parsed, bytes: body.bytes } : await replaceModel(parsed, body.bytes, model);
    const pending = inspect(value, bytes);
    const inspected = pending instanceof Promise ? await pending : pending;
    if (inspectedMembers.length > 0) refuseAmbiguous(bytes, inspectedMembers);
    return { ...body, bytes, inspected };
  } catch (error) {
    body[Symbol.dispose]();
    throw error;
  }
}

/** Parses a complete JSON body within its limits. Throws Failure if it is invalid or ambiguous. */
export async function parseBody(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  let value: unknown;
  try {
    value = await inTurnsFor(bytes, parseInTurns(bytes, bounds));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's message quotes the body, which must not appear in a log.
    const position = /at position \d+/.exec(error.message);
    throw new Failure("invalid_json", `The body is not valid JSON${position === null ? "" : ` (${position[0]})`}.`);
  }
  // Of duplicate members, the vendor might read another value than the one that is checked and priced here.
  await inTurnsFor(bytes, refuseDuplicatesInTurns(bytes, value));
  // `inspect` takes long for a large value, so other calls may proceed before it.
  if (isLargeJson(bytes)) await nextTurn();
  return value;
}

/** Replaces the model in the body by the deployment that the request's path names. */
async function replaceModel(value: unknown, bytes: Buffer, model: string) {
  if (!isRecord(value)) return { value, bytes };
  const replaced = await inTurnsIfLong(spliceInTurns(bytes, { model: JSON.stringify(model) }));
  return { value: { ...value, model }, bytes: replaced };
}

/** Bounds of JSON that needs no check: a body that was checked before, or a vendor's answer. */
export const unlimitedJson: JsonBounds = { depth: Infinity, values: Infinity, members: Infinity };

/** Returns true if parsing JSON in one step would delay other calls. */
export function isLargeJson(bytes: Buffer): boolean {
  return bytes.length > maxStepBytes;
}

/**
 * Parses JSON within its limits. Other calls may run between the steps that parse a large document. Rejects with
 * SyntaxError, or with Failure invalid_json (400) or request_too_large (413) if a limit is exceeded.
 */
export async function parseJson(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  return await inTurnsFor(bytes, parseInTurns(bytes, bounds));
}

function inTurnsFor<Result>(bytes: Buffer, steps: Generator<undefined, Result>): Result | Promise<Result> {
  return isLargeJson(bytes) ? inTurns(steps) : inTurnsIfLong(steps);
}

/** Checks that JSON is within its limits and returns its counts. Rejects with Failure as `parseJson` does. */
export async function checkJson(bytes: Buffer, bounds: JsonBounds): Promise<Pick<JsonBounds, "values" | "members">> {
  const { values, members } = await inTurnsFor(bytes, scanInTurns(bytes, bounds));
  return { values, members };
}

/** Parses a body again after `readJson`. Throws Failure invalid_value if it is not an object. */
export async function reparseJson(bytes: Buffer): Promise<JsonObject> {
  const value: unknown = isLargeJson(bytes)
    ? await inTurns(parseInTurns(bytes, unlimitedJson))
    : JSON.parse(bytes.toString());
  if (!isRecord(value)) throw new Failure("invalid_value", "The body must be a JSON object.");
  return value;
}

/**
 * Renders JSON. `bodyBytes` is the size of the body that the value was created from. Other calls may run between the
 * steps that render a large value.
 */
export async function renderJson(value: unknown, bodyBytes: number): Promise<Buffer> {
  return bodyBytes > maxStepBytes ? await inTurns(stringifyInTurns(value)) : Buffer.from(JSON.stringify(value));
}
