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

/**
 * Verified callers by their header. An edge sends the same header for several calls of an API key. A caller with details
 * of one call is not kept.
 */
const verified = new BoundedMap<{ readonly caller: Caller; readonly secrets: Secrets }>();

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
  const known = verified.get(header ?? "");
  if (known?.secrets === secrets && known.caller.expiresAt >= nowSeconds) return known.caller;
  const [text = "", signature = ""] = header?.split(".") ?? [];
  if (!isSignedBy(secrets, text, signature))
    throw new Failure("invalid_api_key", "This service answers only calls that the edge has signed.");
  const caller: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!callerShape.Check(caller) || caller.expiresAt < nowSeconds) {
    throw new Failure("invalid_api_key", "The edge's signature on this call has expired.");
  }
  if (header !== undefined && caller.tags === undefined && caller.clientAddress === undefined)
    verified.set(header, { caller, secrets });
  return caller;
}
