import { Failure } from "@modelgate/contracts";
import { nextTurn, readBody, type BodyLimits, type ServiceCall } from "@modelgate/platform";
import { isRecord, refuseAmbiguous, spliceMembers, type JsonBounds } from "@modelgate/wires/json";
import { checkUnambiguous, isLargeJson, parseJson } from "./large-json.ts";

/** Bounds of a JSON body. */
export interface JsonLimits extends BodyLimits, JsonBounds {}

/** A JSON body: its bytes for forwarding, and what was seen in it. Dispose it when the bytes have been sent. */
export interface JsonBody<Seen> extends Disposable {
  readonly bytes: Buffer;
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
    params,
    format,
  }: Pick<ServiceCall, "request" | "caller"> & Partial<Pick<ServiceCall, "params" | "format">>,
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
  const body = await readBody(request, limits, caller);
  try {
    const parsed = await parseBody(body.bytes, limits);
    const { value, bytes } = deployed(parsed, body.bytes, params?.["deployment"]);
    const seen = await inspect(value, bytes);
    return { bytes, seen, [Symbol.dispose]: () => body[Symbol.dispose]() };
  } catch (error) {
    body[Symbol.dispose]();
    throw error;
  }
}

/** Parses a whole JSON body within its bounds. Throws Failure for what is invalid, or can be read in two ways. */
export async function parseBody(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  const value = await parse(bytes, bounds);
  // What is checked and priced here must be what the vendor reads.
  await checkUnambiguous(bytes, value);
  // Looking through a large value takes a turn of its own.
  if (isLargeJson(bytes)) await nextTurn();
  return value;
}

/** The body with the model that the path names as a deployment, whatever the body itself names. */
function deployed(value: unknown, bytes: Buffer, model: string | undefined) {
  if (model === undefined || !isRecord(value)) return { value, bytes };
  return { value: { ...value, model }, bytes: spliceMembers(bytes, { model: JSON.stringify(model) }) };
}

/** An inspection of a body through an `ask`, which also refuses members whose names parsers may read in two ways. */
export function checked<Seen>(
  ask: (value: unknown) => Seen | Promise<Seen>,
  relied: readonly string[],
): (value: unknown, bytes: Buffer) => Promise<Seen> {
  return async (value, bytes) => {
    const seen = await ask(value);
    refuseAmbiguous(bytes, relied);
    return seen;
  };
}

async function parse(bytes: Buffer, limits: JsonBounds): Promise<unknown> {
  try {
    return await parseJson(bytes, limits);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's words quote the body: they may hold what a client would not want in a log.
    const at = /at position \d+/.exec(error.message);
    throw new Failure("invalid_json", `The body is not valid JSON${at === null ? "" : ` (${at[0]})`}.`);
  }
}
