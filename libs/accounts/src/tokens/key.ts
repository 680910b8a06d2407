import { hash, randomBytes } from "node:crypto";

/**
 * Form of an API key: `sk-`, or `ek_` of a client secret, and 8 to 250 letters, digits, `_` or `-`. Other texts are
 * never looked up.
 */
const shape = /^(?:sk-|ek_)[A-Za-z0-9_-]{8,250}$/;

/** Returns whether a text has the form of an API key. */
export function isKeyShaped(text: string): boolean {
  return shape.test(text);
}

/** Returns a new API key with 288 random bits. It is shown once; only its digest is stored. */
export function newKey(): string {
  return `sk-${randomBytes(36).toString("base64url")}`;
}

/** Returns the digest of an API key that is stored: its SHA-256, hex. */
export function digestOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** Returns a token's id, derived from the key's digest: it is stable and does not reveal the key. */
export function tokenIdOf(digest: string): string {
  return `tok_${digest.slice(0, 20)}`;
}

/** Returns the part of an API key that may be shown for recognition. */
export function hintOf(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-3)}`;
}
