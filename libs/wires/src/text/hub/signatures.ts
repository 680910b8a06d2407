import { isRecord } from "@modelgate/formats/json";
import type { Signature, Part } from "./part.ts";
import { textWireNames, type TextWireName, type TextRequest } from "./request.ts";

/** Signature of another wire in the form for clients, with a reference to the part that it belongs to. */
export interface Envelope {
  readonly signature: Signature;
  /** Id of the tool call that the signature belongs to. */
  readonly call?: string | undefined;
  /** True if the signature belongs to the text or image before the envelope. */
  readonly previous?: boolean | undefined;
  /** Range in a text that joins several parts. */
  readonly span?: CharacterRange | undefined;
}

/** Index of the first character, and the index after the last. */
export type CharacterRange = readonly [start: number, end: number];

/** Base64 of `{"modelgate"`. No vendor's signature begins with it. */
export const envelopePrefix = Buffer.from('{"modelgate"').toString("base64");

/** Placeholder for a missing signature. Without it, clients would drop reasoning or send it in another form. */
export const placeholderSignature = Buffer.from('{"modelgate":1}').toString("base64");

/** Bytes that every envelope contains. A body with them must be converted before a vendor gets it. */
export const envelopeBytes = Buffer.from(envelopePrefix);

/** Renders an envelope as Base64. It is not encrypted. */
export function encodeEnvelope({ signature, call, previous, span }: Envelope): string {
  return Buffer.from(JSON.stringify({ modelgate: 1, ...signature, call, previous, span })).toString("base64");
}

/** Reads an envelope; undefined for any other text. */
export function decodeEnvelope(text: string): Envelope | undefined {
  if (!text.startsWith(envelopePrefix)) return undefined;
  try {
    const decoded: unknown = JSON.parse(Buffer.from(text, "base64").toString());
    if (!isRecord(decoded)) return undefined;
    const { kind, value, call, previous, span } = decoded;
    const wire = textWireNames.find((name) => name === decoded["wire"]);
    if (wire === undefined || typeof kind !== "string" || typeof value !== "string") return undefined;
    return {
      signature: { wire, kind, value },
      ...(typeof call === "string" ? { call } : {}),
      ...(previous === true ? { previous } : {}),
      ...(isSpan(span) ? { span } : {}),
    };
  } catch {
    return undefined;
  }
}

function isSpan(value: unknown): value is CharacterRange {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((at) => Number.isInteger(at) && at >= 0) &&
    value[0] <= value[1]
  );
}

/** Renders a signature for a client of `wire`: unchanged, or in an envelope if it belongs to another wire. */
export function signatureForClient(signature: Signature, wire: TextWireName): string {
  return signature.wire === wire ? signature.value : encodeEnvelope({ signature });
}

/** Reads a signature from a client of `wire`. */
export function signatureFromClient(text: string, wire: TextWireName, kind: string): Signature {
  return decodeEnvelope(text)?.signature ?? { wire, kind, value: text };
}

/** Reads the signature of reasoning; undefined for the gateway's placeholder. */
export function parseSignature(text: string, wire: TextWireName): Signature | undefined {
  if (text === "" || text === placeholderSignature) return undefined;
  return signatureFromClient(text, wire, signatureKind);
}

/** Renders the signature of reasoning, or a placeholder. */
export function renderSignature(signature: Signature | undefined, wire: TextWireName): string {
  return signature === undefined ? placeholderSignature : signatureForClient(signature, wire);
}

/** Returns the envelope in the signature of a reasoning block if it belongs to another part; otherwise undefined. */
export function envelopeOfOtherPart(text: unknown): Envelope | undefined {
  const envelope = typeof text === "string" ? decodeEnvelope(text) : undefined;
  return envelope?.call === undefined && envelope?.previous === undefined ? undefined : envelope;
}

/** Kinds of signatures of reasoning: one accompanies the text, the other replaces it. */
export const [signatureKind, redactedKind] = ["signature", "redacted"] as const;

/** Returns true for a signature of this wire that replaces the reasoning. */
export function isRedacted(signature: Signature | undefined, wire: TextWireName): boolean {
  return signature?.wire === wire && signature.kind === redactedKind;
}

/** Returns the value of a signature for a vendor of `wire`; undefined if it belongs to another wire. */
export function ownSignature(signature: Signature | undefined, wire: TextWireName): string | undefined {
  return signature?.wire === wire ? signature.value : undefined;
}

/**
 * Removes all signatures from a request, for a vendor that refuses them. Compactions remain, because they contain
 * earlier turns.
 */
export function withoutSignatures(request: TextRequest): TextRequest {
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(withoutSignature) })) };
}

function withoutSignature(part: Part): Part {
  if (!("signature" in part) || part.kind === "compaction") return part;
  const { signature: _signature, ...rest } = part;
  return rest;
}
