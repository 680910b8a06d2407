import { present } from "@modelgate/contracts";
import { isRecord, textOf } from "../../json/fields.ts";
import type { Part, ReasoningPart, Seal, TextPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { closeEnvelope, openEnvelope, type Envelope, type SealSpan } from "../hub/seals.ts";

/*
 * The wire has no place of its own for seals. Two that grew beside it are used: `reasoning_details` of a message, a
 * list that clients keep and send back, for what seals thoughts and texts; `extra_content` of a tool call or image,
 * for what seals those. A vendor's own details and signatures are seals of this wire.
 */

/** Details that one message may have, of which a stream sends one or more for every few words. */
export const maxDetails = 16_384;

/** The kinds of this wire's own seals. */
const [ownDetails, ownSignature] = ["reasoning_details", "thought_signature"] as const;

/** Content of `reasoning_details`: envelopes with seals of other wires, and the vendor's own as one seal. */
export interface Details {
  readonly marks: readonly Mark[];
  readonly own: Seal | undefined;
  /** Thoughts in the details, for vendors that send them nowhere else. */
  readonly text: string;
}

/** An envelope among details, with the id of the thoughts that it seals. */
interface Mark extends Envelope {
  readonly id?: string | undefined;
}

/** Reads `reasoning_details`; what is malformed is passed over. */
export function readDetails(value: unknown): Details {
  const all = Array.isArray(value) ? value.filter(isRecord).slice(0, maxDetails) : [];
  const marks: Mark[] = [];
  const own: JsonObject[] = [];
  for (const detail of all) {
    const mark = markOf(detail);
    if (mark === undefined) own.push(detail);
    else marks.push(mark);
  }
  return { marks, own: sealOfDetails(own), text: own.map(thoughtIn).join("") };
}

/** The envelope of ours in a detail. */
export function markOf({ data, id }: JsonObject): Mark | undefined {
  const envelope = typeof data === "string" ? openEnvelope(data) : undefined;
  return envelope === undefined || typeof id !== "string" ? envelope : { ...envelope, id };
}

/** A vendor's details as a seal; none where nothing of theirs is sealed: plain thoughts are sent as text. */
export function sealOfDetails(details: readonly JsonObject[]): Seal | undefined {
  const sealed = details.some(({ data, signature }) => textOf(data) !== "" || textOf(signature) !== "");
  return sealed ? { wire: "chat", kind: ownDetails, value: JSON.stringify(details) } : undefined;
}

/** The thought in a detail: its text, or its summary. */
export function thoughtIn({ text, summary }: JsonObject): string {
  return typeof text === "string" ? text : typeof summary === "string" ? summary : "";
}

/** A seal that details carry through a client: that of thoughts, or of a text (`previous`). */
interface Sealed {
  readonly id?: string | undefined;
  readonly span: SealSpan;
  readonly previous?: true;
  /** Number of the detail in its message: clients join pieces of a list's entries by it. */
  readonly index: number;
}

export function detailsFor(seal: Seal, of: Sealed): readonly unknown[] {
  const own = ownDetailsOf(seal);
  if (own !== undefined) return own;
  const data = closeEnvelope({ seal, span: of.span, previous: of.previous });
  return [present({ type: "reasoning.encrypted", id: of.id, index: of.index, data })];
}

/** A vendor's own details out of the seal that they became; undefined for any other seal. */
export function ownDetailsOf(seal: Seal | undefined): readonly unknown[] | undefined {
  if (seal?.wire !== "chat" || seal.kind !== ownDetails) return undefined;
  try {
    const details: unknown = JSON.parse(seal.value);
    return Array.isArray(details) ? details : undefined;
  } catch {
    return undefined; // A client sent back another text than it was given.
  }
}

/** The thoughts of a message as parts, each with its seal. */
export function sealedThoughts(text: string, { marks, own, text: inDetails }: Details): readonly ReasoningPart[] {
  const all = text === "" ? inDetails : text;
  const parts = pieces(
    all,
    marks.filter(({ previous }) => previous !== true),
  ).map(({ text, mark }): ReasoningPart => present({ kind: "reasoning", text, id: mark?.id, seal: mark?.seal }));
  if (own === undefined) return parts;
  const last = parts.findLastIndex(({ seal }) => seal === undefined);
  if (last < 0) return [...parts, { kind: "reasoning", text: "", seal: own }];
  return parts.map((part, index) => (index === last ? { ...part, seal: own } : part));
}

/** The text of a message as parts, each with its seal. */
export function sealedTexts(text: string, { marks }: Details): readonly TextPart[] {
  return pieces(
    text,
    marks.filter(({ previous }) => previous === true),
  ).map(({ text, mark }): TextPart => present({ kind: "text", text, seal: mark?.seal }));
}

interface Piece {
  readonly text: string;
  readonly mark?: Mark | undefined;
}

/** A text cut where seals begin and end. A seal whose text is no longer there has lost its meaning. */
function pieces(text: string, marks: readonly Mark[]): readonly Piece[] {
  const cut: Piece[] = [];
  let at = 0;
  for (const mark of marks) {
    const [start, end] = mark.span ?? [at, text.length];
    if (start < at || end > text.length) continue;
    if (start > at) cut.push({ text: text.slice(at, start) });
    cut.push({ text: text.slice(start, end), mark });
    at = end;
  }
  return at < text.length ? [...cut, { text: text.slice(at) }] : cut;
}

/** The seal in `extra_content`: an envelope of ours, or the signature that Google's models give on this wire. */
export function readExtra(value: unknown, google: "chat" | "content"): Seal | undefined {
  if (!isRecord(value)) return undefined;
  const ours = textAt(value["modelgate"], "signature");
  if (ours !== undefined) return openEnvelope(ours)?.seal;
  const theirs = textAt(value["google"], "thought_signature");
  if (theirs === undefined) return undefined;
  return google === "chat"
    ? { wire: "chat", kind: ownSignature, value: theirs }
    : { wire: "content", kind: "thoughtSignature", value: theirs };
}

/** `extra_content` for a seal on its way to a client. */
export function extraFor(seal: Seal | undefined): JsonObject | undefined {
  if (seal === undefined) return undefined;
  return ownExtra(seal) ?? { modelgate: { signature: closeEnvelope({ seal }) } };
}

/** `extra_content` for a seal on its way to a vendor: its own only. */
export function ownExtra(seal: Seal | undefined): JsonObject | undefined {
  if (seal?.wire !== "chat" || seal.kind !== ownSignature) return undefined;
  return { google: { thought_signature: seal.value } };
}

/** A part with a seal where there is one. */
export function withSeal<Sealed extends Extract<Part, { seal?: Seal | undefined }>>(
  part: Sealed,
  seal: Seal | undefined,
): Sealed {
  return seal === undefined ? part : { ...part, seal };
}

function textAt(value: unknown, name: string): string | undefined {
  const text = isRecord(value) ? value[name] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
