import { present } from "@modelgate/contracts";
import { ownSeal } from "../hub/seals.ts";
import type { CompactionPart, ImagePart, Part, ReasoningPart, ToolCallPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import type { LocalName } from "./namespaces.ts";
import { outputText } from "./render-parts.ts";

/** Items in these states: streamed items are added `in_progress` and done `completed`; a cut one is `incomplete`. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** Texts and refusals that the model said in one go. */
export function messageItem(id: string, parts: readonly Part[], status: ItemStatus): JsonObject {
  return { type: "message", id, status, role: "assistant", content: parts.flatMap(messageContent) };
}

function messageContent(part: Part): readonly JsonObject[] {
  if (part.kind === "text") return [outputText(part)];
  return part.kind === "refusal" ? [{ type: "refusal", refusal: part.text }] : [];
}

/** Thoughts under one id: those that are marked as not a summary are content, all others are summary. */
export function reasoningItem(
  id: string | undefined,
  parts: readonly ReasoningPart[],
  sealed: string | undefined,
): JsonObject {
  const shown = parts.filter(({ text }) => text !== "");
  const summary = shown.filter(isSummary).map(({ text }) => ({ type: "summary_text", text }));
  const content = shown.filter((part) => !isSummary(part)).map(({ text }) => ({ type: "reasoning_text", text }));
  return present({
    type: "reasoning",
    id,
    summary,
    content: content.length > 0 ? content : undefined,
    encrypted_content: sealed,
  });
}

export function isSummary({ summary }: { readonly summary?: boolean | undefined }): boolean {
  return summary !== false;
}

/** A call; `id` is the item's, not the one that pairs it with its output. `local` is the tool's name on this wire. */
export function callItem(
  id: string | undefined,
  part: Pick<ToolCallPart, "id" | "name" | "arguments" | "custom">,
  status: ItemStatus,
  local?: LocalName,
): JsonObject {
  const called = { id, call_id: part.id, name: part.name, ...local };
  return part.custom === true
    ? present({ type: "custom_tool_call", ...called, input: part.arguments, status })
    : present({ type: "function_call", ...called, arguments: part.arguments, status });
}

/** An image that the model made; undefined where its bytes are not at hand. */
export function imageItem(id: string, { source }: ImagePart): JsonObject | undefined {
  if (source.kind !== "base64") return undefined;
  const format = source.mediaType.split("/")[1];
  return present({
    type: "image_generation_call",
    id,
    status: "completed",
    result: source.data,
    output_format: format === "png" ? undefined : format,
  });
}

/** A compaction of this wire; another's means nothing here. */
export function compactionItem(id: string | undefined, { seal }: CompactionPart): JsonObject | undefined {
  const value = ownSeal(seal, "responses");
  return value === undefined ? undefined : present({ type: "compaction", id, encrypted_content: value });
}
