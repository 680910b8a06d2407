import { isRecord } from "../../json/fields.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import { noResult, pairedMessages, type Message, type PairForm } from "../hub/paired-messages.ts";
import type { JsonObject, TextRequest, Turn } from "../hub/request.ts";
import { renderPart, type PartContext } from "./render-parts.ts";

/** The dialogue, and what is said before it. */
export interface RenderedTurns {
  readonly system: readonly JsonObject[] | undefined;
  readonly messages: readonly Message[];
}

/** Messages for a vendor; instructions in the middle move to the front, instructions alone become the user's words. */
export function renderTurns(request: TextRequest, context: PartContext): RenderedTurns {
  const middle = request.turns.filter(({ role }) => role === "system");
  context.unsupported.noteIf("turn.system-place", middle.length > 0);
  const system = [...request.instructions, ...middle.flatMap(({ parts }) => parts)].flatMap((part) =>
    renderPart(part, context),
  );
  const messages = pairedMessages(request.turns, (turn) => renderTurn(turn, context), pairs).map(withWords);
  const [first] = messages;
  const begins = first?.role === "assistant";
  context.unsupported.noteIf("turn.first-assistant", begins);
  if (first !== undefined)
    return { system: system.length > 0 ? system : undefined, messages: begins ? [opening, ...messages] : messages };
  return { system: undefined, messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
}

/** What the user says before a history that begins with the assistant, which the vendor refuses. */
const opening: Message = { role: "user", content: [{ text: "(The assistant speaks first.)" }] };

function renderTurn({ role, parts }: Turn, context: PartContext): readonly JsonObject[] {
  return parts.flatMap((part) => {
    if (role === "assistant" && (part.kind === "image" || part.kind === "file"))
      throw unsupportedFailure(`${part.kind} parts of the model`);
    return renderPart(part, context);
  });
}

/** The vendor refuses a message that holds a document and no text: the text is the document's name. */
function withWords(message: Message): Message {
  const { document } = message.content.find((block) => isRecord(block["document"])) ?? {};
  if (!isRecord(document) || message.content.some((block) => "text" in block)) return message;
  return { ...message, content: [...message.content, { text: String(document["name"]) }] };
}

const pairs: PairForm = {
  callOf: ({ toolUse }) => (isRecord(toolUse) ? toolUse["toolUseId"] : undefined),
  resultOf: ({ toolResult }) => (isRecord(toolResult) ? toolResult["toolUseId"] : undefined),
  missing: (toolUseId) => ({ toolResult: { toolUseId, content: [{ text: noResult }], status: "error" } }),
};
