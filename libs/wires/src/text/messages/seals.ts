import type { Seal } from "../hub/part.ts";
import { closeEnvelope, openEnvelope, sealForClient, sealFromClient, unsealed, type Envelope } from "../hub/seals.ts";
import type { JsonObject } from "../hub/request.ts";

/** What the wire calls its two kinds of seals: beside thoughts, and in place of them. */
const [signatureKind, redactedKind] = ["signature", "redacted"] as const;

/** The seal in a `signature`; undefined where it says nothing. */
export function sealOfSignature(signature: string): Seal | undefined {
  if (signature === "" || signature === unsealed) return undefined;
  return sealFromClient(signature, "messages", signatureKind);
}

/** The `signature` for a client of this wire. */
export function signatureFor(seal: Seal | undefined): string {
  return seal === undefined ? unsealed : sealForClient(seal, "messages");
}

/** Whether a seal stands in place of its thoughts. */
export function isRedacted(seal: Seal | undefined): boolean {
  return seal?.wire === "messages" && seal.kind === redactedKind;
}

/** A block for another vendor's seal of something else than thoughts: clients send it back unread. */
export function sealBlock(envelope: Envelope): JsonObject {
  return { type: "redacted_thinking", data: closeEnvelope(envelope) };
}

/** What a `redacted_thinking` block's data holds. */
export function envelopeOf(data: string): Envelope {
  return openEnvelope(data) ?? { seal: { wire: "messages", kind: redactedKind, value: data } };
}
