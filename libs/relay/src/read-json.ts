import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import { readBody, type Body, type BodyLimits } from "@modelgate/platform";
import { nestsDeeper, refuseAmbiguous } from "@modelgate/wires";

/** Bounds of a JSON body; `depth` is its deepest nesting. */
export interface JsonLimits extends BodyLimits {
  readonly depth: number;
}

/** A JSON body: its bytes for forwarding, and what was seen in it. Dispose it when the bytes have been sent. */
export interface JsonBody<Seen> extends Disposable {
  readonly bytes: Buffer;
  readonly seen: Seen;
}

/**
 * Reads and parses a JSON body within its bounds. Throws Failure for everything that it can be instead, and what
 * `look` throws. Only what `look` gives is kept: the parsed value of a large body would live as long as its stream.
 */
export async function readJson<Seen>(
  request: IncomingMessage,
  limits: JsonLimits,
  look: (value: unknown, bytes: Buffer) => Seen,
): Promise<JsonBody<Seen>> {
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new Failure(
      "unsupported_media_type",
      `The content type must be application/json, not ${JSON.stringify(type.slice(0, 100))}.`,
      { param: "content-type" },
    );
  }
  const body = await readBody(request, limits);
  try {
    const seen = look(parse(body, limits.depth), body.bytes);
    return { bytes: body.bytes, seen, [Symbol.dispose]: () => body[Symbol.dispose]() };
  } catch (error) {
    body[Symbol.dispose]();
    throw error;
  }
}

/** A look at a body through an `ask`, which also refuses members that parsers may read in two ways. */
export function checked<Seen>(
  ask: (value: unknown) => Seen,
  relied: readonly string[],
): (value: unknown, bytes: Buffer) => Seen {
  return (value, bytes) => {
    const seen = ask(value);
    refuseAmbiguous(bytes, relied);
    return seen;
  };
}

function parse({ bytes }: Body, depth: number): unknown {
  if (nestsDeeper(bytes, depth)) throw new Failure("invalid_json", `The body nests deeper than ${depth} levels.`);
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    // The parser's words quote the body: they may hold what a client would not want in a log.
    const at = /at position \d+/.exec(error instanceof Error ? error.message : "");
    throw new Failure("invalid_json", `The body is not valid JSON${at === null ? "" : ` (${at[0]})`}.`);
  }
}
