import { isRecord } from "@modelgate/formats/json";
import type { Signature, Part } from "./part.ts";
import { textWireNames, type TextWireName, type TextRequest } from "./request.ts";

/** Signature as a client of another wire receives it and sends it back, with a reference to the part it belongs to. */
export interface Envelope {
  readonly signature: Signature;
  /** Id of the tool call that the signature belongs to. */
  readonly call?: string | undefined;
  /** True if it belongs to the text or image before the envelope; on the chat wire, `span` locates the text. */
  readonly previous?: boolean | undefined;
  /** Range of the part's characters in a text that joins several parts, on wires that join them. */
  readonly span?: CharacterRange | undefined;
}

/** Range of characters: index of the first, and the index after the last. */
export type CharacterRange = readonly [start: number, end: number];

/** Base64 of `{"modelgate"`: every envelope begins with it, and no vendor's signature does. */
export const envelopePrefix = Buffer.from('{"modelgate"').toString("base64");

/**
 * Placeholder for the signature of reasoning without one: clients would otherwise drop such reasoning, or send it back
 * in a form that vendors refuse. It begins like an envelope but contains no signature.
 */
export const placeholderSignature = Buffer.from('{"modelgate":1}').toString("base64");

/** `envelopePrefix` as bytes. A body that contains them must be converted before it is sent to a vendor. */
export const envelopeBytes = Buffer.from(envelopePrefix);

/** Renders an envelope as Base64, not encrypted, for the member in which clients keep their wire's signatures. */
export function encodeEnvelope({ signature, call, previous, span }: Envelope): string {
  return Buffer.from(JSON.stringify({ modelgate: 1, ...signature, call, previous, span })).toString("base64");
}

/** Reads the envelope in a text that a client sent back; undefined for any other text. */
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

/** Renders a signature for a client of `wire`: unchanged if a vendor of that wire made it, else in an envelope. */
export function signatureForClient(signature: Signature, wire: TextWireName): string {
  return signature.wire === wire ? signature.value : encodeEnvelope({ signature });
}

/** Reads a signature that a client of `wire` sent back: from its envelope, else as a signature of that wire. */
export function signatureFromClient(text: string, wire: TextWireName, kind: string): Signature {
  return decodeEnvelope(text)?.signature ?? { wire, kind, value: text };
}

/** Reads the signature of reasoning; undefined if it is empty or the gateway's placeholder. */
export function parseSignature(text: string, wire: TextWireName): Signature | undefined {
  if (text === "" || text === placeholderSignature) return undefined;
  return signatureFromClient(text, wire, signatureKind);
}

/** Renders the signature of reasoning for a client of `wire`; a placeholder if there is none. */
export function renderSignature(signature: Signature | undefined, wire: TextWireName): string {
  return signature === undefined ? placeholderSignature : signatureForClient(signature, wire);
}

/** Reads the envelope by which reasoning carries the signature of another part: a call, or the previous part. */
export function carriedSignature(text: unknown): Envelope | undefined {
  const envelope = typeof text === "string" ? decodeEnvelope(text) : undefined;
  return envelope?.call === undefined && envelope?.previous === undefined ? undefined : envelope;
}

/** Kinds of signatures on wires with two kinds: one accompanies reasoning, the other replaces it. */
export const [signatureKind, redactedKind] = ["signature", "redacted"] as const;

/** Returns true for a signature of this wire that replaces the reasoning itself. */
export function isRedacted(signature: Signature | undefined, wire: TextWireName): boolean {
  return signature?.wire === wire && signature.kind === redactedKind;
}

/** Returns the value of a signature that a vendor of `wire` made, else undefined: no other vendor may get it. */
export function ownSignature(signature: Signature | undefined, wire: TextWireName): string | undefined {
  return signature?.wire === wire ? signature.value : undefined;
}

/** Removes all signatures, for a vendor that refuses them. Compactions stay: only they contain the earlier turns. */
export function withoutSignatures(request: TextRequest): TextRequest {
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(withoutSignature) })) };
}

function withoutSignature(part: Part): Part {
  if (!("signature" in part) || part.kind === "compaction") return part;
  const { signature: _signature, ...rest } = part;
  return rest;
}
