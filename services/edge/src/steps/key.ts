import type { IncomingMessage } from "node:http";
import { digestOf, isKeyShaped } from "@modelgate/accounts";
import { Failure, headerAliases, type KeyCarrier } from "@modelgate/contracts";
import { contextOf, type Step } from "../request-context.ts";

const subprotocolPrefix = "openai-insecure-api-key.";

/** Keys of a request, by carrier; more than one is a contradiction unless all are the same. */
const carriers: Readonly<Record<KeyCarrier, (request: IncomingMessage, query: URLSearchParams) => readonly string[]>> =
  {
    authorization: (request) => headerValues(request, "authorization").map(bearerOf),
    "x-api-key": (request) => headerValues(request, "x-api-key"),
    "api-key": (request) => headerValues(request, "api-key"),
    "gamma-header": (request) => headerAliases.gammaKey.flatMap((name) => headerValues(request, name)),
    "gamma-query": (_, query) => query.getAll("key"),
    subprotocol: (request) =>
      headerValues(request, "sec-websocket-protocol")
        .flatMap(itemsOf)
        .filter((item) => item.startsWith(subprotocolPrefix))
        .map((item) => item.slice(subprotocolPrefix.length)),
  };

/** Headers that carry keys, of any client: none is sent on to a service. */
const keyHeaders = ["authorization", "x-api-key", "api-key", ...headerAliases.gammaKey];

/**
 * Takes the key from the carriers of the endpoint and goes on with its SHA-256 only. Malformed keys are refused
 * here, without a look-up; so are two different keys, and the same carrier twice.
 */
export const key: Step = (request, _response, next) => {
  const context = contextOf(request);
  const found = (context.endpoint?.keys ?? []).map((carrier) => carriers[carrier](request, context.query));
  if (found.some((values) => values.length > 1)) throw new Failure("contradicting_api_keys");
  const distinct = new Set(found.flat());
  if (distinct.size > 1) throw new Failure("contradicting_api_keys");
  const [only] = distinct;
  if (only === undefined || only === "") throw new Failure("invalid_api_key", missingKey(request));
  if (!isKeyShaped(only))
    throw new Failure(
      "invalid_api_key",
      "The API key is malformed: a key is `sk-` and 8 to 250 letters, digits, `_` or `-`.",
    );
  context.digest = digestOf(only);
  for (const name of keyHeaders) delete request.headers[name];
  context.query.delete("key");
  forgetSubprotocolKey(request);
  next();
};

/** Tells that no key was sent; or, where one is in another client's header, that it is not read there. */
function missingKey(request: IncomingMessage): string {
  const elsewhere = keyHeaders.find((name) => headerValues(request, name).length > 0);
  const wanted = "send it as `Authorization: Bearer sk-…`.";
  if (elsewhere === undefined) return `No API key was sent; ${wanted}`;
  if (elsewhere === "authorization") return `The header authorization has no Bearer token; ${wanted}`;
  return `This endpoint does not read an API key from the header ${elsewhere}; ${wanted}`;
}

/** The other subprotocols go on: the service answers with one of them. */
function forgetSubprotocolKey({ headers }: IncomingMessage): void {
  const offered = headers["sec-websocket-protocol"];
  if (offered === undefined) return;
  const others = itemsOf(offered).filter((item) => !item.startsWith(subprotocolPrefix));
  if (others.length > 0) headers["sec-websocket-protocol"] = others.join(", ");
  else delete headers["sec-websocket-protocol"];
}

function itemsOf(list: string): readonly string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Returns every value of a header as it was sent: node joins or drops repetitions, and a second key must not go unseen. */
function headerValues(request: IncomingMessage, name: string): readonly string[] {
  if (request.headers[name] === undefined) return [];
  const raw = request.rawHeaders;
  const values: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.length === name.length && raw[at]?.toLowerCase() === name) values.push(raw[at + 1] ?? "");
  }
  return values.filter((text) => text !== "");
}

function bearerOf(value: string): string {
  return /^bearer +(\S+)$/i.exec(value.trim())?.[1] ?? "";
}
