import { createHmac, timingSafeEqual } from "node:crypto";

// A separate module that loads only Node's modules, because `npm start` signs with it and must start quickly.

/** Header with the name of the person that a caller acts for, percent-encoded. */
export const actorHeader = "x-modelgate-actor";

/**
 * Creates a short-lived credential for the operator's API with the secret in use; it expires at a Unix time in seconds.
 */
export function signOperator(secret: string, expiresAt: number): string {
  const text = `operator.${expiresAt}`;
  return `${text}.${signatureOf(secret, text)}`;
}

/** Returns whether `signOperator` made the credential with an accepted secret and it has not expired. */
export function isOperator(secrets: readonly string[], credential: string, nowSeconds: number): boolean {
  const [role, expiresAt, signature = ""] = credential.split(".");
  const isSigned = isSignedBy(secrets, `${role ?? ""}.${expiresAt ?? ""}`, signature);
  return isSigned && role === "operator" && Number(expiresAt) >= nowSeconds;
}

/** Returns the signature by which the gateway's processes authenticate a text: HMAC-SHA256 in base64url. */
export function signatureOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** Returns whether a signature was made with an accepted secret. Takes the same time for every signature. */
export function isSignedBy(secrets: readonly string[], text: string, signature: string): boolean {
  const given = Buffer.from(signature);
  for (const secret of secrets) {
    const made = Buffer.from(signatureOf(secret, text));
    if (made.length === given.length && timingSafeEqual(made, given)) return true;
  }
  return false;
}
