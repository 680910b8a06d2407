import type { JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "./request.ts";
import type { Part } from "./part.ts";
import { allInstructions, pairedTurns } from "./paired-turns.ts";

/** A message of a request, on wires whose content is a list of blocks. */
export interface Message {
  readonly role: Turn["role"];
  readonly content: readonly JsonRecord[];
}

/** Renders and recognises the blocks of a wire. */
export interface MessageBlocks {
  text(text: string): JsonRecord;
  isReasoning(block: JsonRecord): boolean;
  /** Returns the id of the call in a block; undefined for other blocks. */
  callOf(block: JsonRecord): unknown;
  /** Returns the id of the call that a block is the result of; undefined for other blocks. */
  resultOf(block: JsonRecord): unknown;
}

/**
 * Text of the user's message that is added before a history that begins with the assistant, because the vendor refuses
 * such a history.
 */
export const openingText = "(The assistant speaks first.)";

/** Rules for rendering a vendor's messages. */
interface PairOptions {
  /** Blocks of the vendor's messages. */
  readonly form: MessageBlocks;
  /** True if the vendor accepts messages of the role `system` after a user's message. */
  readonly acceptsSystem?: boolean | undefined;
}

/** Renders messages. In each, the results of tools come first. Throws Failure for a result without its call. */
export function renderPairedMessages(
  request: TextRequest,
  unsupported: Unsupported,
  render: (part: Part) => readonly JsonRecord[],
  { form, acceptsSystem = false }: PairOptions,
): { readonly system: readonly JsonRecord[]; readonly messages: readonly Message[] } {
  const turns = acceptsSystem ? request.turns : request.turns.filter(({ role }) => role !== "system");
  const front = acceptsSystem ? request.instructions : allInstructions(request, unsupported);
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
 * Merges adjacent turns of one role. A `system` message must follow a user's message, and must precede an assistant's
 * message or end the list. Any other `system` message is moved, or returned in `unplaced`.
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

/** Returns true if a turn after the user's last message has calls but does not begin with reasoning. */
export function hasCallWithoutReasoning(messages: readonly Message[], form: MessageBlocks): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && !content.some((block) => form.resultOf(block) !== undefined)) return false;
    const thinks = content[0] !== undefined && form.isReasoning(content[0]);
    if (role === "assistant" && content.some((block) => form.callOf(block) !== undefined) && !thinks) return true;
  }
  return false;
}
