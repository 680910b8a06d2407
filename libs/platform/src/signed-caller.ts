import { createHmac, timingSafeEqual } from "node:crypto";
import { Compile } from "typebox/compile";
import { Caller, Failure } from "@modelgate/contracts";

const shape = Compile(Caller);

/** The value of `x-modelgate-caller`: base64url(JSON) "." base64url(HMAC-SHA256 of that text). */
export function signCaller(secret: string, caller: Caller): string {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return `${text}.${seal(secret, text)}`;
}

/** Who calls, if our edge signed it and it has not expired; otherwise throws Failure invalid_api_key. */
export function verifyCaller(secret: string, header: string | undefined, nowSeconds: number): Caller {
  const [text = "", signature = ""] = header?.split(".") ?? [];
  if (!isEqual(signature, seal(secret, text)))
    throw new Failure("invalid_api_key", "This service answers only calls that the edge has signed.");
  const caller: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!shape.Check(caller) || caller.expiresAt < nowSeconds) {
    throw new Failure("invalid_api_key", "The edge's signature on this call has expired.");
  }
  return caller;
}

/** A short-lived credential for the operator's API, made by whoever holds the secret. */
export function signOperator(secret: string, expiresAt: number): string {
  const text = `operator.${expiresAt}`;
  return `${text}.${seal(secret, text)}`;
}

/** Whether a credential was made by `signOperator` with this secret and still counts. */
export function isOperator(secret: string, credential: string, nowSeconds: number): boolean {
  const [role, expiresAt, signature = ""] = credential.split(".");
  const expected = seal(secret, `${role ?? ""}.${expiresAt ?? ""}`);
  return isEqual(signature, expected) && role === "operator" && Number(expiresAt) >= nowSeconds;
}

function seal(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
