import { createHash, createHmac } from "node:crypto";

/** Key of the proof, which is not secret. It only distinguishes data that the simulator made from invented data. */
const key = "the simulator made this";

const proof = (kind: string, held: string): string =>
  createHmac("sha256", key).update(`${kind}\n${held}`).digest("base64url");

/**
 * Returns the opaque data (such as a signature of reasoning) that a vendor sends through a client, in Base64. The same
 * subject gives the same data.
 *
 * @param kind vendor and use, such as `anthropic.thinking`
 *
 * @param subject text that the data is bound to, such as the reasoning
 */
export function makeOpaqueData(kind: string, subject: string): string {
  const held = createHash("sha256").update(subject).digest("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** Returns true if the simulator made this opaque data for this kind, and for this subject if one is given. */
export function isOpaqueDataOf(kind: string, data: string, subject?: string): boolean {
  const opened = Buffer.from(data, "base64").toString();
  if (!opened.startsWith(`${kind}.`)) return false;
  const [held = "", found = ""] = opened.slice(kind.length + 1).split(".");
  if (found !== proof(kind, held)) return false;
  return subject === undefined || data === makeOpaqueData(kind, subject);
}

/** Encodes a text so that only the simulator reads it, such as the summary in a compaction. */
export function encodeText(kind: string, words: string): string {
  const held = Buffer.from(words).toString("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** Decodes a text of `encodeText`; undefined if the simulator did not make it. */
export function decodeText(kind: string, data: string): string | undefined {
  if (!isOpaqueDataOf(kind, data)) return undefined;
  const [held = ""] = Buffer.from(data, "base64")
    .toString()
    .slice(kind.length + 1)
    .split(".");
  return Buffer.from(held, "base64url").toString();
}
