import { Compile } from "typebox/compile";
import { Caller, Failure } from "@modelgate/contracts";
import { isSignedBy, signatureOf } from "@modelgate/contracts/operator-credential";
import type { Secrets } from "./secrets.ts";

const shape = Compile(Caller);

/** The value of `x-modelgate-caller`: base64url(JSON) "." base64url(HMAC-SHA256 of that text). */
export function signCaller(secret: string, caller: Caller): string {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return `${text}.${signatureOf(secret, text)}`;
}

/** The caller, if an edge signed it with an accepted secret and it has not expired; otherwise throws Failure invalid_api_key. */
export function verifyCaller(secrets: Secrets, header: string | undefined, nowSeconds: number): Caller {
  const [text = "", signature = ""] = header?.split(".") ?? [];
  if (!isSignedBy(secrets, text, signature))
    throw new Failure("invalid_api_key", "This service answers only calls that the edge has signed.");
  const caller: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!shape.Check(caller) || caller.expiresAt < nowSeconds) {
    throw new Failure("invalid_api_key", "The edge's signature on this call has expired.");
  }
  return caller;
}
