import { randomBytes } from "node:crypto";

/** Ids that are cheap and do not repeat: a random prefix of this process and a counter. */
export function idSource(kind: string): () => string {
  const prefix = `${kind}_${randomBytes(9).toString("base64url")}`;
  let count = 0;
  return () => `${prefix}${(++count).toString(36)}`;
}

const wellFormed = /^[A-Za-z0-9][A-Za-z0-9._:/=+-]{0,127}$/;

/** Whether a client's own request id can be kept: short, and nothing in it that a log or a header could stumble over. */
export function isRequestId(text: string): boolean {
  return wellFormed.test(text);
}
