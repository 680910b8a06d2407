import { unsupportedFailure, type Unsupported } from "./field-support.ts";
import type { Part } from "./part.ts";
import { allInstructions } from "./instructions.ts";
import { pairedTurns } from "./paired-turns.ts";
import type { JsonObject, TextRequest, Turn } from "./request.ts";

/** One message of a request, on wires whose content is a list of blocks. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** Describes the blocks of a wire: renders a text, and recognises reasoning, calls and results. */
export interface PairForm {
  text(text: string): JsonObject;
  isReasoning(block: JsonObject): boolean;
  /** Returns the id of the call in a block; undefined for other blocks. */
  callOf(block: JsonObject): unknown;
  /** Returns the id of the call that a block is the result of; undefined for other blocks. */
  resultOf(block: JsonObject): unknown;
}

/** Text of the user that is added before a history which begins with the assistant, since the vendor refuses it. */
export const opening = "(The assistant speaks first.)";

/**
 * Renders the dialogue for a vendor that requires all results of a turn's calls together at the beginning of the next
 * message. Adjacent turns of one role become one message. Without turns, the instructions become the user's text. A
 * history that begins with the assistant gets a user's opening, which is reported as a loss. Throws Failure
 * unsupported_parameter for a result without its call.
 */
export function pairedConversation(
  request: TextRequest,
  unsupported: Unsupported,
  render: (part: Part) => readonly JsonObject[],
  form: PairForm,
): { readonly system: readonly JsonObject[]; readonly messages: readonly Message[] } {
  const system = allInstructions(request, unsupported).flatMap(render);
  const turns = request.turns.filter(({ role }) => role !== "system");
  const messages = merged(pairedTurns(turns, true), render);
  if (messages.length === 0)
    return { system: [], messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
  const isOpened = messages[0]?.role === "user";
  unsupported.noteIf("turn.first-assistant", !isOpened);
  return { system, messages: isOpened ? messages : [{ role: "user", content: [form.text(opening)] }, ...messages] };
}

function merged(turns: readonly Turn[], render: (part: Part) => readonly JsonObject[]): readonly Message[] {
  const joined: { role: Message["role"]; content: JsonObject[] }[] = [];
  for (const { role, parts } of turns) {
    if (role === "system") continue;
    const media = parts.find(({ kind }) => kind === "image" || kind === "file");
    if (role === "assistant" && media !== undefined) throw unsupportedFailure(`${media.kind} parts of the model`);
    const content = parts.flatMap(render);
    const last = joined.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else joined.push({ role, content: [...content] });
  }
  return joined;
}

/** Returns true if a turn after the user's last message has calls but does not begin with signed reasoning. */
export function hasUnsignedLoop(messages: readonly Message[], form: PairForm): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && !content.some((block) => form.resultOf(block) !== undefined)) return false;
    const thinks = content[0] !== undefined && form.isReasoning(content[0]);
    if (role === "assistant" && content.some((block) => form.callOf(block) !== undefined) && !thinks) return true;
  }
  return false;
}
