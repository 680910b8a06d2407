import { isRecord, type Fields } from "../../json/fields.ts";
import { callId, type CallPairs } from "../hub/call-ids.ts";
import type { Part, ToolCallPart } from "../hub/part.ts";
import { parseContent, readImage } from "./parse-parts.ts";
import { readDetails, readExtra, sealedTexts, sealedThoughts, withSeal, type Details } from "./seals.ts";

/** Tool calls and images that one message may have. */
const mostCalls = 4_096;

/** Where a message of the model stands, and what was called before it. */
export interface ModelContext {
  readonly calls: CallPairs;
  /** Makes ids of calls that have none. */
  readonly path: readonly (string | number)[];
  /** Whose a signature in Google's spelling is: a vendor's own on this wire, or a client's that Google's wire can read. */
  readonly google: "chat" | "content";
}

/**
 * A message of the model, in an answer or in the history, as parts in one order: thoughts, words, images, refusal,
 * calls, audio. The wire has no other.
 */
export function modelParts(message: Fields, at: ModelContext): readonly Part[] {
  message.ignore("role", "annotations");
  const thoughts = [message.raw("reasoning_content"), message.raw("reasoning")].find(
    (text) => typeof text === "string",
  );
  const details = readDetails(message.raw("reasoning_details"));
  const refusal = message.text("refusal") ?? "";
  const audio = message.record("audio");
  const words = readWords(message, details);
  return [
    ...sealedThoughts(typeof thoughts === "string" ? thoughts : "", details),
    ...words,
    ...message.each("images", mostCalls).map((image) => readModelImage(image, at)),
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...readCalls(message, at),
    ...(audio === undefined ? [] : [{ kind: "vendor", wire: "chat", value: { audio } } as const]),
  ];
}

/** Clients write empty words beside calls; they say nothing. */
function readWords(message: Fields, details: Details): readonly Part[] {
  const parts = parseContent(message, "content");
  const [only] = parts;
  if (parts.length === 0) return sealedTexts("", details);
  if (parts.length > 1 || only?.kind !== "text" || only.cache !== undefined) return parts;
  return sealedTexts(only.text, details);
}

/** An image that the model made. */
export function readModelImage(image: Fields, { google }: ModelContext): Part {
  image.ignore("type", "index");
  return withSeal(readImage(image), readExtra(image.raw("extra_content"), google));
}

function readCalls(message: Fields, at: ModelContext): readonly ToolCallPart[] {
  const calls = message
    .each("tool_calls", mostCalls)
    .map((call, index) => withSeal(readCall(call, index, at), readExtra(call.raw("extra_content"), at.google)));
  const old = message.fields("function_call");
  const all = old === undefined ? calls : [...calls, readOldCall(old, at)];
  for (const { id, name } of all) at.calls.called(id, name);
  return all;
}

function readCall(call: Fields, index: number, { path }: ModelContext): ToolCallPart {
  call.ignore("index");
  const type = call.text("type") === "custom" ? "custom" : "function";
  const called = call.fields(type);
  if (called === undefined) throw call.wrong(type, "an object");
  const name = called.needText("name");
  const given = call.text("id") ?? "";
  const id = given === "" ? callId(...path, index, name) : given;
  if (type === "custom") return { kind: "tool-call", id, name, arguments: called.text("input") ?? "", custom: true };
  return { kind: "tool-call", id, name, arguments: argumentsOf(called) };
}

/** The one call of a message, as it was before there were tools: it has no id. */
function readOldCall(call: Fields, { path }: ModelContext): ToolCallPart {
  const name = call.needText("name");
  return { kind: "tool-call", id: callId(...path, "function_call", name), name, arguments: argumentsOf(call) };
}

/** JSON text; some vendors write the object itself. */
function argumentsOf(called: Fields): string {
  const value = called.raw("arguments");
  return isRecord(value) ? JSON.stringify(value) : (called.text("arguments") ?? "");
}
