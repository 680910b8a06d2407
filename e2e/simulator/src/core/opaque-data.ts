import { createHash, createHmac } from "node:crypto";

/** Key that is not secret. It only distinguishes data of the simulator from invented data. */
const key = "the simulator made this";

const proof = (kind: string, held: string): string =>
  createHmac("sha256", key).update(`${kind}\n${held}`).digest("base64url");

/**
 * Creates the opaque data of a vendor, such as a signature. `kind` names vendor and use. The data is bound to
 * `subject`.
 */
export function makeOpaqueData(kind: string, subject: string): string {
  const held = createHash("sha256").update(subject).digest("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** Returns true if the simulator made this data for this kind, and for the subject if there is one. */
export function isOpaqueDataOf(kind: string, data: string, subject?: string): boolean {
  const opened = Buffer.from(data, "base64").toString();
  if (!opened.startsWith(`${kind}.`)) return false;
  const [held = "", found = ""] = opened.slice(kind.length + 1).split(".");
  if (found !== proof(kind, held)) return false;
  return subject === undefined || data === makeOpaqueData(kind, subject);
}

/** Encodes a text as opaque data, such as the summary in a compaction. */
export function encodeText(kind: string, words: string): string {
  const held = Buffer.from(words).toString("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** Decodes a text; undefined if the simulator did not encode it. */
export function decodeText(kind: string, data: string): string | undefined {
  if (!isOpaqueDataOf(kind, data)) return undefined;
  const [held = ""] = Buffer.from(data, "base64")
    .toString()
    .slice(kind.length + 1)
    .split(".");
  return Buffer.from(held, "base64url").toString();
}
