import { hash, randomBytes } from "node:crypto";

/**
 * The form of a key: `sk-`, or `ek_` of a client secret, and 8 to 250 letters, digits, `_` or `-`. Other texts never
 * reach a database.
 */
const shape = /^(?:sk-|ek_)[A-Za-z0-9_-]{8,250}$/;

/** Returns whether a text has the form of a key. */
export function isKeyShaped(text: string): boolean {
  return shape.test(text);
}

/** A new key with 288 random bits. It is shown once; only its digest is kept. */
export function newKey(): string {
  return `sk-${randomBytes(36).toString("base64url")}`;
}

/** Returns the digest that is stored of a key: its SHA-256, hex. */
export function digestOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** A token's id: stable, and no help in finding the key. */
export function tokenIdOf(digest: string): string {
  return `tok_${digest.slice(0, 20)}`;
}

/** Returns the part of a key that may be shown so that a person can recognise it. */
export function hintOf(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-3)}`;
}
