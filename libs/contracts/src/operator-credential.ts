import { createHmac, timingSafeEqual } from "node:crypto";

// This module imports only modules of Node, because `npm start` signs with it and must start quickly.

/** Header with the name of the person for whom a caller acts, percent-encoded. */
export const actorHeader = "x-modelgate-actor";

/** Creates a short-lived credential for the operator's API. `expiresAt` is a Unix time in seconds. */
export function signOperator(secret: string, expiresAt: number): string {
  const text = `operator.${expiresAt}`;
  return `${text}.${signatureOf(secret, text)}`;
}

/** Returns true if `signOperator` created a credential with one of these secrets and it has not expired. */
export function isOperator(secrets: readonly string[], credential: string, nowSeconds: number): boolean {
  const [role, expiresAt, signature = ""] = credential.split(".");
  const isSigned = isSignedBy(secrets, `${role ?? ""}.${expiresAt ?? ""}`, signature);
  return isSigned && role === "operator" && Number(expiresAt) >= nowSeconds;
}

/** Returns the signature of a text: HMAC-SHA256 in base64url. */
export function signatureOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** Returns true if a signature was made with one of these secrets. Signatures are compared in constant time. */
export function isSignedBy(secrets: readonly string[], text: string, signature: string): boolean {
  const received = Buffer.from(signature);
  for (const secret of secrets) {
    const expected = Buffer.from(signatureOf(secret, text));
    if (expected.length === received.length && timingSafeEqual(expected, received)) return true;
  }
  return false;
}
