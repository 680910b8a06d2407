import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { customNames, unwrapCustom } from "../hub/custom.ts";
import type { AnswerContext } from "../hub/codec.ts";
import { writeDataUrl } from "../hub/data-url.ts";
import type { Citation, Part, ToolCallPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { extraFor } from "./seals.ts";

/** How an answer is written for its client, by what the client asked. */
export interface AnswerStyle {
  /** Free-text tools: their calls come wrapped from vendors that have functions only. */
  readonly custom: ReadonlySet<string>;
  /** The client knows functions and no tools: it gets one call, in the spelling of old. */
  readonly oldCalls: boolean;
  /** The client does not want to see thoughts. */
  readonly hidesThoughts: boolean;
}

export function answerStyleOf({ request, asked }: AnswerContext): AnswerStyle {
  return {
    custom: customNames(request.tools),
    oldCalls: Array.isArray(asked["functions"]) && (asked["tools"] ?? undefined) === undefined,
    hidesThoughts: request.reasoning?.show === "none",
  };
}

/** Whether a call comes as a function's and is a free-text tool's. */
export function isWrapped(call: Pick<ToolCallPart, "name" | "custom">, { custom }: AnswerStyle): boolean {
  return call.custom !== true && custom.has(call.name);
}

/** A call in a whole message. */
export function callMember(call: ToolCallPart, style: AnswerStyle): JsonObject {
  const { id, name, seal } = call;
  const extra = { extra_content: extraFor(seal) };
  const wrapped = isWrapped(call, style);
  if (call.custom !== true && !wrapped)
    return present({ id, type: "function", function: { name, arguments: call.arguments }, ...extra });
  const input = wrapped ? unwrapCustom(call.arguments) : call.arguments;
  return present({ id, type: "custom", custom: { name, input }, ...extra });
}

/**
 * An image that the model made, as vendors that make them spell it, numbered in its message; undefined for one in
 * another vendor's store.
 */
function imageMember({ source, seal }: Extract<Part, { kind: "image" }>, index: number): JsonObject | undefined {
  if (source.kind === "file-id") return undefined;
  const url = source.kind === "url" ? source.url : writeDataUrl(source);
  return present({ type: "image_url", index, image_url: { url }, extra_content: extraFor(seal) });
}

/** `audio` for speech that came from another wire. It is not stored, so its id names nothing later. */
function audioMember({ source }: Extract<Part, { kind: "audio" }>, { answerId, now }: AnswerContext): JsonObject {
  if (source.kind !== "base64") return {};
  return { audio: { id: `audio_${answerId}`, data: source.data, expires_at: now, transcript: "" } };
}

/**
 * The members of a message, or a delta, for a part that comes whole; none for what the wire has no word for. `images`
 * is how many there were before.
 */
export function wholeMembers(part: Part, context: AnswerContext, images: number): JsonObject {
  if (part.kind === "audio") return audioMember(part, context);
  if (part.kind === "vendor") return part.wire === "chat" && isRecord(part.value) ? part.value : {};
  const image = part.kind === "image" ? imageMember(part, images) : undefined;
  return image === undefined ? {} : { images: [image] };
}

/**
 * A citation of a text that stands `from` characters into the message's: the wire's own as it came, another's where
 * it has an address.
 */
export function annotation(citation: Citation, from: number, length: number): readonly unknown[] {
  if (citation.own?.wire === "chat") return [citation.own.value];
  const { url, title, start, end } = citation;
  if (url === undefined) return [];
  const range = { start_index: from + (start ?? 0), end_index: from + (end ?? length) };
  return [{ type: "url_citation", url_citation: { ...range, title: title ?? url, url } }];
}
