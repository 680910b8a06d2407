import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { keyDigest, isKeyShaped } from "@modelgate/accounts";
import { Failure, headerAliases, type KeyCarrier } from "@modelgate/contracts";
import { contextOf, type Step } from "../request-context.ts";

const bearerPattern = /^bearer +(\S+)$/i;
const subprotocolHeader = "sec-websocket-protocol";
const subprotocolPrefix = "openai-insecure-api-key.";
const malformedKey = "The API key is malformed: a key is `sk-` and 8 to 250 letters, digits, `_` or `-`.";

type KeyReader = (request: IncomingMessage, query: URLSearchParams) => readonly string[];
/** Functions that read the keys of a request, by the place of the key. */
const keyReaders: Readonly<Record<KeyCarrier, KeyReader>> = {
  authorization: (request) =>
    headerValues(request, "authorization").map((value) => bearerPattern.exec(value.trim())?.[1] ?? ""),
  "x-api-key": (request) => headerValues(request, "x-api-key"),
  "api-key": (request) => headerValues(request, "api-key"),
  "gamma-header": (request) => headerAliases.gammaKey.flatMap((name) => headerValues(request, name)),
  "gamma-query": (_, query) => query.getAll("key"),
  subprotocol: (request) =>
    headerValues(request, subprotocolHeader)
      .flatMap((list) => list.split(",").map((item) => item.trim()))
      .filter((item) => item.startsWith(subprotocolPrefix))
      .map((item) => item.slice(subprotocolPrefix.length)),
};

/** Headers with keys in any API format. `toArea` removes them. */
export const keyHeaders = ["authorization", "x-api-key", "api-key", ...headerAliases.gammaKey];

/**
 * Reads the API key, stores its SHA-256 in the context, and removes the key from the query and the subprotocols.
 * Refuses a missing or malformed key, different keys, and a key that is repeated in the same header, query or list of
 * subprotocols.
 */
export const readKey: Step = (request, _response, next) => {
  const context = contextOf(request);
  const keys = (context.endpoint?.keys ?? []).map((carrier) => keyReaders[carrier](request, context.query));
  const distinct = new Set(keys.flat());
  if (distinct.size > 1 || keys.some((values) => values.length > 1)) throw new Failure("contradicting_api_keys");
  const [only] = distinct;
  if (only === undefined || only === "") throw new Failure("invalid_api_key", missingKeyMessage(request));
  if (!isKeyShaped(only)) throw new Failure("invalid_api_key", malformedKey);
  context.digest = keyDigest(only);
  context.query.delete("key");
  if (request.headers[subprotocolHeader] !== undefined) removeKeyFromSubprotocols(request.headers);
  next();
};

function removeKeyFromSubprotocols(headers: IncomingHttpHeaders): void {
  const subprotocols = headers[subprotocolHeader]?.split(",").map((item) => item.trim()) ?? [];
  const others = subprotocols.filter((item) => item !== "" && !item.startsWith(subprotocolPrefix));
  if (others.length > 0) headers[subprotocolHeader] = others.join(", ");
  else delete headers[subprotocolHeader];
}

function missingKeyMessage(request: IncomingMessage): string {
  const elsewhere = keyHeaders.find((name) => headerValues(request, name).length > 0);
  const hint = "send it as `Authorization: Bearer sk-…`.";
  if (elsewhere === undefined) return `No API key was sent; ${hint}`;
  if (elsewhere === "authorization") return `The header authorization has no Bearer token; ${hint}`;
  return `This endpoint does not read an API key from the header ${elsewhere}; ${hint}`;
}

/** Returns every non-empty value of a header. Node joins or drops repeated headers, which could hide a second key. */
function headerValues(request: IncomingMessage, name: string): readonly string[] {
  if (request.headers[name] === undefined) return [];
  const raw = request.rawHeaders;
  return raw.filter(
    (value, position) => position % 2 === 1 && value !== "" && raw[position - 1]?.toLowerCase() === name,
  );
}
