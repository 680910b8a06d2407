import type { Seal } from "../hub/part.ts";

/** What the wire calls its two kinds of seals: beside thoughts, and in place of them. */
const [signatureKind, redactedKind] = ["signature", "redacted"] as const;

/** The seal beside thoughts; undefined for models that sign none. */
export function signatureSeal(signature: unknown): Seal | undefined {
  if (typeof signature !== "string" || signature === "") return undefined;
  return { wire: "converse", kind: signatureKind, value: signature };
}

/** The seal in place of thoughts; `data` is Base64. */
export function redactedSeal(data: string): Seal {
  return { wire: "converse", kind: redactedKind, value: data };
}

/** Whether a seal stands in place of its thoughts. */
export function isRedacted(seal: Seal | undefined): boolean {
  return seal?.wire === "converse" && seal.kind === redactedKind;
}
