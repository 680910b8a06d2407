import { present } from "@modelgate/contracts";
import { own } from "../../json/own.ts";
import type { Fields } from "../../json/fields.ts";
import { argumentsOf } from "../hub/call-arguments.ts";
import type { ImagePart, Part, ToolResultPart } from "../hub/part.ts";
import type { Envelope } from "../hub/seals.ts";
import { parseCache } from "./cache.ts";
import { parseCitation } from "./citations.ts";
import { parseDocument, searchResultText } from "./parse-documents.ts";
import { imageSource } from "./parse-sources.ts";
import { envelopeOf, sealOfSignature } from "./seals.ts";

/** Blocks that one message or tool result may have. */
const mostBlocks = 4_096;

/** Names of the calls so far, by id. */
export type CallNames = Map<string, string>;

type ReadBlock = (block: Fields, names: CallNames) => readonly Part[];

const readers: Readonly<Record<string, ReadBlock>> = {
  text: readText,
  image: (block) => [readImage(block)],
  document: (block) => parseDocument(block, mostBlocks),
  tool_use: readCall,
  tool_result: readResult,
  thinking: readThinking,
};

/**
 * A content: text, or blocks. Types that are not in the table are a vendor's own and travel to the same wire only.
 * Seals that travelled beside their part go back onto it.
 */
export function parseContent(of: Fields, name: string, names: CallNames): readonly Part[] {
  const content = of.raw(name);
  if (content === undefined) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const parts: Part[] = [];
  const carried: Envelope[] = [];
  for (const block of of.each(name, mostBlocks)) {
    const type = block.needText("type");
    if (type === "redacted_thinking") readRedacted(block, parts, carried);
    else parts.push(...(own(readers, type)?.(block, names) ?? [vendorPart(block)]));
  }
  for (const { seal, call } of carried) {
    const at = parts.findIndex((part) => part.kind === "tool-call" && part.id === call);
    const part = parts[at];
    if (part?.kind === "tool-call") parts[at] = { ...part, seal };
  }
  return parts;
}

/** A seal in place of thoughts, or one that was on its way with another part. */
function readRedacted(block: Fields, parts: Part[], carried: Envelope[]): void {
  const envelope = envelopeOf(block.needText("data"));
  const { seal, call, previous } = envelope;
  const last = parts.at(-1);
  if (call !== undefined) carried.push(envelope);
  else if (previous !== true) parts.push({ kind: "reasoning", text: "", seal });
  else if (last?.kind === "text" || last?.kind === "image") parts[parts.length - 1] = { ...last, seal };
}

function vendorPart(block: Fields): Part {
  return { kind: "vendor", wire: "messages", value: block.whole() };
}

function readText(block: Fields): readonly Part[] {
  const citations = (block.list("citations") ?? []).flatMap(parseCitation);
  const text = block.needText("text");
  return [{ kind: "text", text, ...(citations.length > 0 ? { citations } : {}), ...parseCache(block) }];
}

function readImage(block: Fields): ImagePart {
  const source = block.fields("source");
  if (source === undefined) throw block.wrong("source", "an object");
  return { kind: "image", source: imageSource(source), ...parseCache(block) };
}

function readCall(block: Fields, names: CallNames): readonly Part[] {
  // Who called says nothing to anybody else, and a call of an earlier turn needs no mark in a cache.
  block.ignore("caller");
  const id = block.needText("id");
  const name = block.needText("name");
  names.set(id, name);
  return [{ kind: "tool-call", id, name, arguments: argumentsOf(block.record("input")) }];
}

function readThinking(block: Fields): readonly Part[] {
  const seal = sealOfSignature(block.text("signature") ?? "");
  const text = block.text("thinking") ?? "";
  return [present({ kind: "reasoning", text, seal })];
}

function readResult(block: Fields, names: CallNames): readonly Part[] {
  const callId = block.needText("tool_use_id");
  const name = names.get(callId);
  return [
    present({
      kind: "tool-result",
      callId,
      name,
      parts: resultParts(block, names),
      ...(block.flag("is_error") === true ? { isError: true } : {}),
      ...parseCache(block),
    }),
  ];
}

function resultParts(block: Fields, names: CallNames): ToolResultPart["parts"] {
  return parseContent(block, "content", names).flatMap((part) => {
    if (part.kind === "text" || part.kind === "image" || part.kind === "file") return [part];
    const found = part.kind === "vendor" ? searchResultText(part.value) : undefined;
    if (found !== undefined) return [{ kind: "text", text: found }];
    throw block.wrong("content", "text, images and documents");
  });
}
