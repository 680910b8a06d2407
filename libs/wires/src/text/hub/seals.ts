import { isRecord } from "../../json/fields.ts";
import type { Seal, Part } from "./part.ts";
import { textWireNames, type TextWireName, type TextRequest } from "./request.ts";

/** A seal of another wire on its way through a client, and what it was on. */
export interface Envelope {
  readonly seal: Seal;
  /** Id of the tool call that it seals. */
  readonly call?: string | undefined;
  /** It seals the part before it. */
  readonly previous?: boolean | undefined;
  /** Range of the part's characters within a text in which a wire joined it to others. */
  readonly span?: SealSpan | undefined;
}

/** The first character and the one after the last. */
export type SealSpan = readonly [start: number, end: number];

/** Base64 of `{"modelgate"`: what every envelope begins with, and no vendor's own seal. */
export const envelopePrefix = Buffer.from('{"modelgate"').toString("base64");

/**
 * Stands where a client's wire has a seal, beside unsealed thoughts: clients send thoughts without one back
 * in ways that no vendor takes, or not at all. It begins as envelopes do and holds nothing.
 */
export const unsealed = Buffer.from('{"modelgate":1}').toString("base64");

/** The same as bytes: a body that holds them cannot go to a vendor as it is. */
export const envelopeBytes = Buffer.from(envelopePrefix);

/** An envelope as Base64, for a place where a client keeps its own wire's seals. It holds no secret of ours. */
export function closeEnvelope({ seal, call, previous, span }: Envelope): string {
  return Buffer.from(JSON.stringify({ modelgate: 1, ...seal, call, previous, span })).toString("base64");
}

/** The envelope in a text that a client sent back; undefined where it is something else. */
export function openEnvelope(text: string): Envelope | undefined {
  if (!text.startsWith(envelopePrefix)) return undefined;
  try {
    const held: unknown = JSON.parse(Buffer.from(text, "base64").toString());
    if (!isRecord(held)) return undefined;
    const { kind, value, call, previous, span } = held;
    const wire = textWireNames.find((name) => name === held["wire"]);
    if (wire === undefined || typeof kind !== "string" || typeof value !== "string") return undefined;
    return {
      seal: { wire, kind, value },
      ...(typeof call === "string" ? { call } : {}),
      ...(previous === true ? { previous } : {}),
      ...(isSpan(span) ? { span } : {}),
    };
  } catch {
    return undefined;
  }
}

function isSpan(value: unknown): value is SealSpan {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((at) => Number.isInteger(at) && at >= 0) &&
    value[0] <= value[1]
  );
}

/** Renders a seal for a client of `wire`: its own as it is, another wire's in an envelope. */
export function sealForClient(seal: Seal, wire: TextWireName): string {
  return seal.wire === wire ? seal.value : closeEnvelope({ seal });
}

/** Reads a seal that a client of `wire` sent back: an opened envelope, or a seal of its own wire. */
export function sealFromClient(text: string, wire: TextWireName, kind: string): Seal {
  return openEnvelope(text)?.seal ?? { wire, kind, value: text };
}

/** Kinds of seals on wires that seal thoughts in two ways: beside them, and in place of them. */
export const [signatureKind, redactedKind] = ["signature", "redacted"] as const;

/** Returns true if a seal of the wire is in place of its thoughts. */
export function isRedacted(seal: Seal | undefined, wire: TextWireName): boolean {
  return seal?.wire === wire && seal.kind === redactedKind;
}

/** The seal's value where `wire` made it; undefined elsewhere: a seal never goes to another vendor. */
export function ownSeal(seal: Seal | undefined, wire: TextWireName): string | undefined {
  return seal?.wire === wire ? seal.value : undefined;
}

/**
 * A request without the seals in its history: for a vendor that did not make them, or does not know them any more. Content
 * that only a seal holds (redacted thoughts) is lost with it; a compaction stays, for nothing else has its content.
 */
export function withoutSeals(request: TextRequest): TextRequest {
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(withoutSeal) })) };
}

function withoutSeal(part: Part): Part {
  if (!("seal" in part) || part.kind === "compaction") return part;
  const { seal: _seal, ...rest } = part;
  return rest;
}
