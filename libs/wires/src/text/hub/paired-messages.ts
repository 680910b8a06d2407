import type { JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "./request.ts";
import type { Part } from "./part.ts";
import { allInstructions, pairedTurns } from "./paired-turns.ts";

/** One message of a request, on wires whose content is a list of blocks. */
export interface Message {
  readonly role: Turn["role"];
  readonly content: readonly JsonRecord[];
}

/** Describes the blocks of a wire: renders a text, and recognises reasoning, calls and results. */
export interface MessageBlocks {
  text(text: string): JsonRecord;
  isReasoning(block: JsonRecord): boolean;
  /** Returns the id of the call in a block; undefined for other blocks. */
  callOf(block: JsonRecord): unknown;
  /** Returns the id of the call that a block is the result of; undefined for other blocks. */
  resultOf(block: JsonRecord): unknown;
}

/** Text of the user that is added before a history which begins with the assistant, since the vendor refuses it. */
export const openingText = "(The assistant speaks first.)";

/** Form of a vendor's conversation, and its support of instructions in the middle. */
interface PairOptions {
  readonly form: MessageBlocks;
  /** True if the vendor accepts messages of the role `system` after a user's message; else they move to the front. */
  readonly takesSystem?: boolean | undefined;
}

/**
 * Renders the dialogue for a vendor that requires all results of a turn's calls together at the beginning of the next
 * message. Adjacent turns of one role become one message. Without turns, the instructions become the user's text. A
 * history that begins with the assistant gets a user's opening, which is reported as a loss. Throws Failure
 * unsupported_parameter for a result without its call.
 */
export function renderPairedMessages(
  request: TextRequest,
  unsupported: Unsupported,
  render: (part: Part) => readonly JsonRecord[],
  { form, takesSystem = false }: PairOptions,
): { readonly system: readonly JsonRecord[]; readonly messages: readonly Message[] } {
  const turns = takesSystem ? request.turns : request.turns.filter(({ role }) => role !== "system");
  const front = takesSystem ? request.instructions : allInstructions(request, unsupported);
  const { messages, unplaced } = mergeTurns(pairedTurns(turns, true), render, unsupported);
  const system = [...front.flatMap(render), ...unplaced];
  if (messages.length === 0)
    return { system: [], messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
  const isOpened = messages[0]?.role === "user";
  unsupported.noteIf("turn.first-assistant", !isOpened);
  return { system, messages: isOpened ? messages : [{ role: "user", content: [form.text(openingText)] }, ...messages] };
}

interface OpenMessage extends Message {
  readonly content: JsonRecord[];
}

/**
 * Merges adjacent turns of one role. A message of the role `system` must follow a user's message and precede one of the
 * assistant, or end the list. Any other is moved after the next message of the user, or returned as `unplaced`. Both
 * changes are reported.
 */
function mergeTurns(turns: readonly Turn[], render: (part: Part) => readonly JsonRecord[], unsupported: Unsupported) {
  const joined: OpenMessage[] = [];
  const unplaced: JsonRecord[] = [];
  let waiting: JsonRecord[] = [];
  const place = (): void => {
    if (waiting.length > 0 && joined.at(-1)?.role === "user") joined.push({ role: "system", content: waiting });
    else {
      unsupported.noteIf("turn.system-place", waiting.length > 0);
      unplaced.push(...waiting);
    }
    waiting = [];
  };
  for (const { role, parts } of turns) {
    const media = parts.find(({ kind }) => kind === "image" || kind === "file");
    if (role === "assistant" && media !== undefined) throw unsupportedFailure(`${media.kind} parts of the model`);
    const content = parts.flatMap(render);
    if (content.length === 0) continue;
    if (role === "system") {
      waiting.push(...content);
      continue;
    }
    unsupported.noteIf("turn.system-place", role === "user" && waiting.length > 0);
    if (role === "assistant") place();
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...content);
    else joined.push({ role, content: [...content] });
  }
  place();
  return { messages: joined, unplaced };
}

/** Returns true if a turn after the user's last message has calls but does not begin with signed reasoning. */
export function hasUnsignedLoop(messages: readonly Message[], form: MessageBlocks): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && !content.some((block) => form.resultOf(block) !== undefined)) return false;
    const thinks = content[0] !== undefined && form.isReasoning(content[0]);
    if (role === "assistant" && content.some((block) => form.callOf(block) !== undefined) && !thinks) return true;
  }
  return false;
}
