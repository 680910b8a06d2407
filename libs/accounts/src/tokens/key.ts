import { hash, randomBytes } from "node:crypto";

/** Matches an API key (`sk-`) or a client secret (`ek_`). Other texts are never looked up. */
const keyPattern = /^(?:sk-|ek_)[A-Za-z0-9_-]{8,250}$/;

/**
 * Time in ms for which the record of an expired, replaced or deleted key stays in Redis. A delayed write of an older
 * version then cannot make the key valid again.
 */
export const endedKeyMs = 24 * 60 * 60_000;

/** Returns true if a text has the form of an API key or a client secret. */
export function isKeyShaped(text: string): boolean {
  return keyPattern.test(text);
}

/** Creates an API key with 288 random bits. */
export function newKey(): string {
  return `sk-${randomBytes(36).toString("base64url")}`;
}

/** Returns the digest by which an API key is stored: its SHA-256 in hex. */
export function keyDigest(key: string): string {
  return hash("sha256", key, "hex");
}

/** Returns a token's id, which never changes and does not reveal the key. */
export function tokenIdOf(digest: string): string {
  return `tok_${digest.slice(0, 20)}`;
}

/** Returns the parts of an API key by which people recognise it. */
export function keyHint(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-3)}`;
}
