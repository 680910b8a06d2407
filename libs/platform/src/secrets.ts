import { Compile } from "typebox/compile";
import { Caller, Failure } from "@modelgate/contracts";
import { isSignedBy, signatureOf } from "@modelgate/contracts/operator-credential";
import { BoundedMap } from "./memo.ts";

/**
 * Secrets of a deployment: the one in use and, during a rotation, a second one that is only accepted. To rotate without
 * downtime, set the new secret as MODELGATE_SECRET_BEFORE in every process, then swap the two variables in every
 * process, then remove MODELGATE_SECRET_BEFORE.
 */
export type Secrets = readonly [inUse: string, ...accepted: string[]];

/** Combines the secret in use with the one that is also accepted during a rotation. */
export function secretsOf(inUse: string, before: string | undefined): Secrets {
  return before === undefined ? [inUse] : [inUse, before];
}

const callerShape = Compile(Caller);

/** Maximum number of cached callers, and maximum length of the header of each. */
const [maxCachedCallers, maxCachedCharacters] = [2_000, 2_048];

/** Cache of verified callers by their header, which an edge sends for several calls of an API key. */
const verifiedCallers = new WeakMap<Secrets, BoundedMap<Caller>>();

function verifiedWith(secrets: Secrets): BoundedMap<Caller> {
  let callers = verifiedCallers.get(secrets);
  if (callers === undefined) verifiedCallers.set(secrets, (callers = new BoundedMap(maxCachedCallers)));
  return callers;
}

/**
 * Returns the value of the header `x-modelgate-caller`: base64url(JSON) "." base64url(HMAC-SHA256 of the first part).
 */
export function signCaller(secret: string, caller: Caller): string {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return `${text}.${signatureOf(secret, text)}`;
}

/**
 * Returns the caller if an edge has signed it with an accepted secret and the signature has not expired. Otherwise
 * throws Failure invalid_api_key.
 */
export function verifyCaller(secrets: Secrets, header: string | undefined, nowSeconds: number): Caller {
  const cached = verifiedWith(secrets);
  const known = cached.get(header ?? "");
  if (known !== undefined && known.expiresAt >= nowSeconds) return known;
  const [text = "", signature = ""] = header?.split(".") ?? [];
  if (!isSignedBy(secrets, text, signature))
    throw new Failure("invalid_api_key", "This service answers only calls that the edge has signed.");
  const caller: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!callerShape.Check(caller) || caller.expiresAt < nowSeconds) {
    throw new Failure("invalid_api_key", "The edge's signature on this call has expired.");
  }
  if (header !== undefined && header.length <= maxCachedCharacters && isShared(caller)) cached.set(header, caller);
  return caller;
}

/** Returns false for a caller with details of one call; that includes the id that edges of earlier versions send. */
function isShared({ tags, clientAddress, requestId = "" }: Caller): boolean {
  return tags === undefined && clientAddress === undefined && requestId === "";
}
