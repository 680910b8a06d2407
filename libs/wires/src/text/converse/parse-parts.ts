import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { argumentsOf } from "../hub/call-arguments.ts";
import type { Citation, Part } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { redactedSeal, signatureSeal } from "./seals.ts";

/** A block of an answer as parts; what has no word in the neutral form is a vendor's own. */
export function parseBlock(block: JsonObject): readonly Part[] {
  const { text, toolUse, reasoningContent, citationsContent, image } = block;
  if (typeof text === "string") return text === "" ? [] : [{ kind: "text", text }];
  if (isRecord(toolUse)) return [parseCall(toolUse)];
  if (isRecord(reasoningContent)) return parseThoughts(reasoningContent);
  if (isRecord(citationsContent)) return parseCited(citationsContent);
  if (isRecord(image)) return parseImage(image);
  return [{ kind: "vendor", wire: "converse", value: block }];
}

function parseCall({ toolUseId, name, input }: JsonObject): Part {
  return { kind: "tool-call", id: textOf(toolUseId), name: textOf(name), arguments: argumentsOf(input) };
}

function parseThoughts({ reasoningText, redactedContent }: JsonObject): readonly Part[] {
  if (typeof redactedContent === "string")
    return [{ kind: "reasoning", text: "", seal: redactedSeal(redactedContent) }];
  if (!isRecord(reasoningText)) return [];
  const seal = signatureSeal(reasoningText["signature"]);
  const text = textOf(reasoningText["text"]);
  if (text === "" && seal === undefined) return [];
  return [present({ kind: "reasoning", text, seal })];
}

function parseCited({ content, citations }: JsonObject): readonly Part[] {
  const texts = Array.isArray(content) ? content.filter(isRecord).map(({ text }) => textOf(text)) : [];
  const cited = Array.isArray(citations) ? citations.flatMap(parseCitation) : [];
  const text = texts.join("");
  return text === "" ? [] : [{ kind: "text", text, ...(cited.length > 0 ? { citations: cited } : {}) }];
}

/** Where a statement comes from; none for what is no object. */
export function parseCitation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { title, sourceContent, location } = value;
  const web = isRecord(location) && isRecord(location["web"]) ? location["web"]["url"] : undefined;
  const quoted = Array.isArray(sourceContent) ? sourceContent.filter(isRecord).map(({ text }) => textOf(text)) : [];
  return [
    present({
      url: typeof web === "string" ? web : undefined,
      title: typeof title === "string" ? title : undefined,
      citedText: quoted.length > 0 ? quoted.join("") : undefined,
    }),
  ];
}

function parseImage({ format, source }: JsonObject): readonly Part[] {
  const data = isRecord(source) ? source["bytes"] : undefined;
  return typeof data === "string" ? [imagePart(textOf(format), data)] : [];
}

/** A picture that the model made. */
export function imagePart(format: string, data: string): Part {
  return { kind: "image", source: { kind: "base64", mediaType: `image/${format || "png"}`, data } };
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
