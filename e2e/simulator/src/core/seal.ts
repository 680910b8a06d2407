import { createHash, createHmac } from "node:crypto";

/** Nothing is protected by it: it only distinguishes a seal that the simulator made from an invented one. */
const key = "the simulator made this";

const proof = (kind: string, held: string): string =>
  createHmac("sha256", key).update(`${kind}\n${held}`).digest("base64url");

/**
 * What a vendor seals for the way through a client: Base64, the same for the same subject.
 * @param kind vendor and place, such as `anthropic.thinking`
 * @param subject what it is bound to, such as the words of a thought
 */
export function sealOf(kind: string, subject: string): string {
  const held = createHash("sha256").update(subject).digest("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** Whether the simulator made this seal, for this kind and, if one is given, for this subject. */
export function isSealOf(kind: string, seal: string, subject?: string): boolean {
  const opened = Buffer.from(seal, "base64").toString();
  if (!opened.startsWith(`${kind}.`)) return false;
  const [held = "", found = ""] = opened.slice(kind.length + 1).split(".");
  if (found !== proof(kind, held)) return false;
  return subject === undefined || seal === sealOf(kind, subject);
}

/** A text that only the simulator reads again, such as the summary in a compaction. */
export function closeText(kind: string, words: string): string {
  const held = Buffer.from(words).toString("base64url");
  return Buffer.from(`${kind}.${held}.${proof(kind, held)}`).toString("base64");
}

/** What `closeText` holds; undefined where the simulator did not make it. */
export function openText(kind: string, seal: string): string | undefined {
  if (!isSealOf(kind, seal)) return undefined;
  const [held = ""] = Buffer.from(seal, "base64")
    .toString()
    .slice(kind.length + 1)
    .split(".");
  return Buffer.from(held, "base64url").toString();
}
