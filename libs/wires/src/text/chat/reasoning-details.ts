import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, asText, type JsonRecord, parseJson } from "@modelgate/formats/json";
import type { Part, ReasoningPart, Signature, TextPart } from "../hub/part.ts";
import { encodeEnvelope, decodeEnvelope, type Envelope, type CharacterRange } from "../hub/signatures.ts";

/*
 * The chat wire has no standard member for signatures (`Signature`). Two common extensions contain them. The list
 * `reasoning_details` of a message contains signatures of reasoning and texts; clients send it back. `extra_content` of a
 * tool call or image contains its signature. Details and signatures that a vendor creates are signatures of this wire.
 */

export const maxDetails = 16_384;

/** Kinds of signatures that vendors of this wire create. */
const [detailsKind, googleSignatureKind] = ["reasoning_details", "thought_signature"] as const;

/** Content of `reasoning_details`: the gateway's envelopes, and the vendor's own details as one signature (`own`). */
export interface Details {
  readonly envelopes: readonly IdentifiedEnvelope[];
  readonly own: Signature | undefined;
  /** Reasoning text, for vendors that send it only in the details. */
  readonly text: string;
}

/** Envelope of a signature, with the id of its reasoning. */
interface IdentifiedEnvelope extends Envelope {
  readonly id?: string | undefined;
}

/** Reads `reasoning_details`, without malformed entries. */
export function readDetails(value: unknown): Details {
  const all = Array.isArray(value) ? value.filter(isRecord).slice(0, maxDetails) : [];
  const envelopes: IdentifiedEnvelope[] = [];
  const nativeDetails: JsonRecord[] = [];
  for (const detail of all) {
    const envelope = decodeDetail(detail);
    if (envelope === undefined) nativeDetails.push(detail);
    else envelopes.push(envelope);
  }
  return { envelopes, own: detailsSignature(nativeDetails), text: nativeDetails.map(reasoningTextIn).join("") };
}

/** Returns the gateway's envelope in a detail; undefined for a vendor's detail. */
export function decodeDetail({ data, id }: JsonRecord): IdentifiedEnvelope | undefined {
  const envelope = typeof data === "string" ? decodeEnvelope(data) : undefined;
  return envelope === undefined || typeof id !== "string" ? envelope : { ...envelope, id };
}

/** Wraps a vendor's details as one signature; undefined if they have only text. */
export function detailsSignature(details: readonly JsonRecord[]): Signature | undefined {
  const isSigned = details.some(({ data, signature }) => asText(data) !== "" || asText(signature) !== "");
  return isSigned ? { wire: "chat", kind: detailsKind, value: JSON.stringify(details) } : undefined;
}

export function reasoningTextIn({ text, summary }: JsonRecord): string {
  return typeof text === "string" ? text : typeof summary === "string" ? summary : "";
}

/** Reference to the part that a signature belongs to: reasoning, or a text if `previous` is true. */
interface PartReference {
  readonly id?: string | undefined;
  readonly span: CharacterRange;
  readonly previous?: true;
  /** Index of the detail in its message. Clients join pieces with the same index. */
  readonly index: number;
}

export function renderDetail(signature: Signature, reference: PartReference): readonly unknown[] {
  const nativeDetails = vendorDetails(signature);
  if (nativeDetails !== undefined) return nativeDetails;
  const data = encodeEnvelope({ signature, span: reference.span, previous: reference.previous });
  return [withoutUndefined({ type: "reasoning.encrypted", id: reference.id, index: reference.index, data })];
}

export function vendorDetails(signature: Signature | undefined): readonly unknown[] | undefined {
  if (signature?.wire !== "chat" || signature.kind !== detailsKind) return undefined;
  // The client may have changed the text, so it may not be valid JSON.
  const details = parseJson(signature.value);
  return Array.isArray(details) ? details : undefined;
}

export function splitReasoning(
  text: string,
  { envelopes, own: nativeDetails, text: inDetails }: Details,
): readonly ReasoningPart[] {
  const all = text === "" ? inDetails : text;
  const parts = splitAtRanges(
    all,
    envelopes.filter(({ previous }) => previous !== true),
  ).map(({ text, envelope }): ReasoningPart =>
    withoutUndefined({ kind: "reasoning", text, id: envelope?.id, signature: envelope?.signature }),
  );
  if (nativeDetails === undefined) return parts;
  const last = parts.findLastIndex(({ signature }) => signature === undefined);
  if (last < 0) return [...parts, { kind: "reasoning", text: "", signature: nativeDetails }];
  return parts.map((part, index) => (index === last ? { ...part, signature: nativeDetails } : part));
}

/** Splits a message's text at the ends of its signed ranges. */
export function splitText(text: string, { envelopes }: Details): readonly TextPart[] {
  return splitAtRanges(
    text,
    envelopes.filter(({ previous }) => previous === true),
  ).map(({ text, envelope }): TextPart => withoutUndefined({ kind: "text", text, signature: envelope?.signature }));
}

interface Piece {
  readonly text: string;
  readonly envelope?: IdentifiedEnvelope | undefined;
}

/** Splits a text at the ranges of signatures. A signature whose range does not fit the text is dropped. */
function splitAtRanges(text: string, envelopes: readonly IdentifiedEnvelope[]): readonly Piece[] {
  const cut: Piece[] = [];
  let index = 0;
  for (const envelope of envelopes) {
    const [start, end] = envelope.span ?? [index, text.length];
    if (start < index || end > text.length) continue;
    if (start > index) cut.push({ text: text.slice(index, start) });
    cut.push({ text: text.slice(start, end), envelope });
    index = end;
  }
  return index < text.length ? [...cut, { text: text.slice(index) }] : cut;
}

/** Reads the signature in `extra_content`: in the gateway's envelope, or in Google's form. */
export function readExtraContent(value: unknown, google: "chat" | "content"): Signature | undefined {
  if (!isRecord(value)) return undefined;
  const gatewayEnvelope = nonEmptyText(value["modelgate"], "signature");
  if (gatewayEnvelope !== undefined) return decodeEnvelope(gatewayEnvelope)?.signature;
  const googleSignature = nonEmptyText(value["google"], "thought_signature");
  if (googleSignature === undefined) return undefined;
  return google === "chat"
    ? { wire: "chat", kind: googleSignatureKind, value: googleSignature }
    : { wire: "content", kind: "thoughtSignature", value: googleSignature };
}

export function renderExtraContent(signature: Signature | undefined): JsonRecord | undefined {
  if (signature === undefined) return undefined;
  return vendorExtraContent(signature) ?? { modelgate: { signature: encodeEnvelope({ signature }) } };
}

/** Renders `extra_content`; undefined if a vendor of another wire made the signature. */
export function vendorExtraContent(signature: Signature | undefined): JsonRecord | undefined {
  if (signature?.wire !== "chat" || signature.kind !== googleSignatureKind) return undefined;
  return { google: { thought_signature: signature.value } };
}

export function withSignature<Signed extends Extract<Part, { signature?: Signature | undefined }>>(
  part: Signed,
  signature: Signature | undefined,
): Signed {
  return signature === undefined ? part : { ...part, signature };
}

function nonEmptyText(value: unknown, name: string): string | undefined {
  const text = isRecord(value) ? value[name] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
