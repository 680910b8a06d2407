import type { Unsupported } from "../hub/unsupported.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import { noResult, pairedMessages, type Message, type PairForm } from "../hub/paired-messages.ts";
import type { JsonObject, TextRequest, Turn } from "../hub/request.ts";
import { renderPart } from "./render-parts.ts";

/** The dialogue, and what is said before it. */
export interface RenderedTurns {
  readonly system: string | readonly JsonObject[] | undefined;
  readonly messages: readonly Message[];
}

/**
 * Messages for a vendor. Neighbours of one role are one message, as it wants all results of one turn's calls
 * together; instructions in the middle move to the front; instructions alone become the user's words. A history that begins with
 * the assistant gets an opening of the user's, which is named as a loss.
 */
export function renderTurns(request: TextRequest, unsupported: Unsupported): RenderedTurns {
  const middle = request.turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  const system = [...request.instructions, ...middle.flatMap(({ parts }) => parts)].flatMap((part) =>
    renderPart(part, unsupported),
  );
  const messages = pairedMessages(request.turns, (turn) => renderTurn(turn, unsupported), pairs);
  const [first] = messages;
  const begins = first?.role === "assistant";
  unsupported.noteIf("turn.first-assistant", begins);
  if (first !== undefined) return { system: systemOf(system), messages: begins ? [opening, ...messages] : messages };
  return { system: undefined, messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
}

/** What the user says before a history that begins with the assistant, which the vendor refuses. */
const opening: Message = { role: "user", content: [{ type: "text", text: "(The assistant speaks first.)" }] };

/** One plain text as itself, more as blocks. */
function systemOf(blocks: readonly JsonObject[]): RenderedTurns["system"] {
  const [first] = blocks;
  if (first === undefined) return undefined;
  const { text, cache_control: cache } = first;
  return blocks.length === 1 && typeof text === "string" && cache === undefined ? text : blocks;
}

function renderTurn({ role, parts }: Turn, unsupported: Unsupported): readonly JsonObject[] {
  return parts.flatMap((part) => {
    if (role === "assistant" && (part.kind === "image" || part.kind === "file"))
      throw unsupportedFailure(`${part.kind} parts of the model`);
    return renderPart(part, unsupported);
  });
}

const pairs: PairForm = {
  callOf: ({ type, id }) => (type === "tool_use" ? id : undefined),
  resultOf: ({ type, tool_use_id: id }) => (type === "tool_result" ? id : undefined),
  missing: (id) => ({ type: "tool_result", tool_use_id: id, content: noResult, is_error: true }),
};
