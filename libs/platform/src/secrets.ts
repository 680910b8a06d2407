import { Caller, Failure, validatorOf } from "@modelgate/contracts";
import { isSignedBy, signatureOf } from "@modelgate/contracts/operator-credential";
import { BoundedMap } from "./memo.ts";

/** Secrets of a deployment: the one in use and, during a rotation, another one that is accepted. */
export type Secrets = readonly [inUse: string, ...accepted: string[]];

export function secretsOf(inUse: string, before: string | undefined): Secrets {
  return before === undefined ? [inUse] : [inUse, before];
}

const callerShape = validatorOf(Caller);

const [maxCachedCallers, maxCachedCharacters] = [2_000, 2_048];

/** Verified callers by their header. An edge sends the same header for several calls of an API key. */
const verifiedCallers = new WeakMap<Secrets, BoundedMap<Caller>>();

function verifiedCallersOf(secrets: Secrets): BoundedMap<Caller> {
  let callers = verifiedCallers.get(secrets);
  if (callers === undefined) verifiedCallers.set(secrets, (callers = new BoundedMap(maxCachedCallers)));
  return callers;
}

/** Returns the value of the header `x-modelgate-caller`: base64url(JSON) "." base64url(HMAC-SHA256). */
export function signCaller(secret: string, caller: Caller): string {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return `${text}.${signatureOf(secret, text)}`;
}

/**
 * Returns the caller that an edge has signed. Throws Failure invalid_api_key if the signature is invalid or expired, and
 * internal_error for a caller of an incompatible version.
 */
export function verifyCaller(secrets: Secrets, header: string | undefined, nowSeconds: number): Caller {
  const cache = verifiedCallersOf(secrets);
  const cached = cache.get(header ?? "");
  if (cached !== undefined && cached.expiresAt >= nowSeconds) return cached;
  const [text = "", signature = ""] = header?.split(".") ?? [];
  if (!isSignedBy(secrets, text, signature))
    throw new Failure("invalid_api_key", "This service answers only calls that the edge has signed.");
  const caller: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!callerShape.Check(caller))
    throw new Failure("internal_error", "The edge and this service have versions that do not work together.");
  if (caller.expiresAt < nowSeconds)
    throw new Failure("invalid_api_key", "The edge's signature on this call has expired.");
  if (header !== undefined && header.length <= maxCachedCharacters && isReusable(caller)) cache.set(header, caller);
  return caller;
}

/** Returns false for a caller with details of one call. Edges of earlier versions add the request id. */
function isReusable({ tags, clientAddress, requestId = "" }: Caller): boolean {
  return tags === undefined && clientAddress === undefined && requestId === "";
}
