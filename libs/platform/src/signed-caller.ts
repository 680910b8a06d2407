import { createHmac, timingSafeEqual } from "node:crypto";
import { Compile } from "typebox/compile";
import { Caller, Failure } from "@modelgate/contracts";
import type { Secrets } from "./secrets.ts";

const shape = Compile(Caller);

/** The value of `x-modelgate-caller`: base64url(JSON) "." base64url(HMAC-SHA256 of that text). */
export function signCaller(secret: string, caller: Caller): string {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return `${text}.${seal(secret, text)}`;
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

/** A short-lived credential for the operator's API, made with the secret in use. */
export function signOperator(secret: string, expiresAt: number): string {
  const text = `operator.${expiresAt}`;
  return `${text}.${seal(secret, text)}`;
}

/** Whether a credential was made by `signOperator` with an accepted secret and has not expired. */
export function isOperator(secrets: Secrets, credential: string, nowSeconds: number): boolean {
  const [role, expiresAt, signature = ""] = credential.split(".");
  const isSigned = isSignedBy(secrets, `${role ?? ""}.${expiresAt ?? ""}`, signature);
  return isSigned && role === "operator" && Number(expiresAt) >= nowSeconds;
}

function isSignedBy(secrets: Secrets, text: string, signature: string): boolean {
  return secrets.some((secret) => isEqual(signature, seal(secret, text)));
}

function seal(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
