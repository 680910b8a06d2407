import { listAt, memberOf, textAt } from "../../checks/members.ts";
import { Refusal, wrongField } from "../../checks/refusal.ts";
import { isOpaqueDataOf } from "../../core/opaque-data.ts";
import { requireModelValues } from "../models.ts";
import { requireStrictSchema } from "../strict-schema.ts";
import { storedItem } from "./store.ts";

export const reasoningDataKind = "openai.reasoning";
export const compactionDataKind = "openai.compaction";

/** Replaces references by stored items. Throws a Refusal (404) for an id that this API key has not stored. */
export function withStoredItems(input: readonly unknown[], key: string): readonly unknown[] {
  return input.map((item) => {
    if (!isReference(item)) return item;
    const id = textAt(item, "id") ?? "";
    const kept = storedItem(key, id);
    if (kept === undefined) throw new Refusal(404, `There is no item '${id}'.`, { path: ["input"] });
    return kept;
  });
}

/**
 * Refuses invalid items: a wrong order, invalid content parts, and reasoning or compactions that were not made here.
 * `before` are the earlier items.
 */
export function requireValidItems(input: readonly unknown[], before: readonly unknown[], key: string): void {
  requirePairs([...before, ...input], before.length);
  for (const [at, item] of input.entries()) {
    const type = textAt(item, "type");
    if (type === "reasoning") requireValidReasoning(item, input[at + 1], at, key);
    if (type === "compaction" && !isOpaqueDataOf(compactionDataKind, textAt(item, "encrypted_content") ?? ""))
      throw wrongField(["input", at, "encrypted_content"], "This compaction was not made here.", "invalid_compaction");
    for (const part of listAt(item, "content")) requireValidPart(part, at);
  }
}

function isReference(item: unknown): boolean {
  const type = textAt(item, "type");
  return type === "item_reference" || (type === undefined && textAt(item, "role") === undefined);
}

const callTypes = ["function_call", "custom_tool_call"];
const outputTypes = ["function_call_output", "custom_tool_call_output"];

/** Refuses outputs without an earlier call, and calls without a later output. */
function requirePairs(items: readonly unknown[], offset: number): void {
  const open = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const type = textAt(item, "type") ?? "message";
    const callId = textAt(item, "call_id") ?? "";
    if (callTypes.includes(type)) open.set(callId, at);
    if (outputTypes.includes(type) && !open.delete(callId))
      throw wrongField(["input", at - offset], `There is no tool call with call_id '${callId}' for this output.`);
  }
  const [lost] = open.keys();
  if (lost !== undefined) throw wrongField(["input"], `There is no output for the tool call '${lost}'.`);
}

function requireValidReasoning(item: unknown, next: unknown, at: number, key: string): void {
  const encryptedContent = textAt(item, "encrypted_content");
  const path = ["input", at, "encrypted_content"];
  if (encryptedContent !== undefined && !isOpaqueDataOf(reasoningDataKind, encryptedContent))
    throw wrongField(path, "This encrypted content was not made here.", "invalid_encrypted_content");
  if (listAt(item, "content").length > 0)
    throw wrongField(
      ["input", at, "content"],
      `Invalid 'input[${at}].content': array too long. Expected an array with maximum length 0, but got an array with length ${listAt(item, "content").length} instead.`,
      "array_above_max_length",
    );
  if (encryptedContent === undefined && storedItem(key, textAt(item, "id") ?? "") === undefined)
    throw new Refusal(
      404,
      `Item with id '${textAt(item, "id")}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      { path },
    );
  const type = textAt(next, "type") ?? textAt(next, "role");
  const follows = [...callTypes, "reasoning", "image_generation_call", "web_search_call"];
  const goesOn = follows.includes(type ?? "") || textAt(next, "role") === "assistant";
  if (!goesOn) throw wrongField(["input", at], "A reasoning item must be followed by the item that it led to.");
}

function requireValidPart(part: unknown, at: number): void {
  const type = textAt(part, "type");
  const has = (name: string): boolean => textAt(part, name) !== undefined;
  const path = ["input", at, "content"];
  if (has("file_id"))
    throw new Refusal(404, `There is no file ${textAt(part, "file_id")}.`, { path: [...path, "file_id"] });
  if (type === "input_image" && !has("image_url"))
    throw new Refusal(400, "A picture needs an address.", { path: [...path, "image_url"], problem: "missing" });
  if (type === "input_file" && has("file_data") === has("file_url"))
    throw wrongField([...path, "file_data"], "A file needs either data or an address.");
  if (type === "input_file" && has("file_data") && !has("filename"))
    throw new Refusal(400, "A file needs a name.", { path: [...path, "filename"], problem: "missing" });
}

/** Refuses settings that the vendor would refuse. */
export function requireValidRequest(body: unknown): void {
  requireModelValues(body, ["reasoning", "effort"]);
  const set = (name: string): boolean => (memberOf(body, name) ?? null) !== null;
  if (set("conversation") && set("previous_response_id"))
    throw wrongField(["conversation"], "'conversation' and 'previous_response_id' exclude one another.");
  for (const name of ["conversation", "prompt"])
    if (set(name)) throw new Refusal(404, `There is no such ${name} here.`, { path: [name] });
  if (memberOf(body, "background") === true)
    throw wrongField(["background"], "The simulator does not work in the background.");
  if (set("stream_options") && memberOf(body, "stream") !== true)
    throw wrongField(["stream_options"], "'stream_options' is for streams only.");
  const tools = listAt(body, "tools");
  for (const [at, tool] of tools.entries())
    if (memberOf(tool, "strict") === true)
      requireStrictSchema(memberOf(tool, "parameters"), ["tools", at, "parameters"]);
  const chosenTool = textAt(memberOf(body, "tool_choice"), "name");
  if (chosenTool !== undefined && !tools.some((tool) => textAt(tool, "name") === chosenTool))
    throw wrongField(["tool_choice"], `There is no tool '${chosenTool}' among 'tools'.`);
  requireValidFormat(body);
}

function requireValidFormat(body: unknown): void {
  const format = memberOf(memberOf(body, "text"), "format");
  if (memberOf(format, "strict") === true)
    requireStrictSchema(memberOf(format, "schema"), ["text", "format", "schema"]);
  if (textAt(format, "type") !== "json_object") return;
  if (!/json/i.test(JSON.stringify([memberOf(body, "input"), memberOf(body, "instructions")])))
    throw wrongField(["input"], "With 'text.format' json_object, the input must say the word json.");
}
