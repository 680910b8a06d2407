import type { Fields } from "../../json/fields.ts";
import type { Seal } from "../hub/part.ts";
import { openEnvelope, sealFromClient, unsealed, type Envelope } from "../hub/seals.ts";

/** The kind of this wire's own seals. */
const kind = "encrypted_content";

/** Reads the seal of a reasoning item; undefined for none. */
export function sealOf(item: Fields): Seal | undefined {
  const text = item.text("encrypted_content");
  return text === undefined || text === unsealed ? undefined : sealFromClient(text, "responses", kind);
}

/** Makes a seal of what a vendor of this wire encrypted. */
export function ownSealOf(value: string): Seal {
  return { wire: "responses", kind, value };
}

/** Reads what a reasoning item carries for another part: the seal of a call, or of the part before it. */
export function carriedSeal(item: Fields): Envelope | undefined {
  const text = item.value["encrypted_content"];
  const envelope = typeof text === "string" ? openEnvelope(text) : undefined;
  return envelope?.call === undefined && envelope?.previous === undefined ? undefined : envelope;
}
