import type { Unsupported } from "../hub/unsupported.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { JsonObject, TextRequest, Turn } from "../hub/request.ts";
import { renderPart } from "./render-parts.ts";

/** One message of a request. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** The dialogue, and what is said before it. */
export interface RenderedTurns {
  readonly system: string | readonly JsonObject[] | undefined;
  readonly messages: readonly Message[];
}

/** The result that the model gets for a call without one. */
const noResult = "no result was given";

/**
 * Messages for a vendor. Neighbours of one role are one message, as it wants all results of one turn's calls
 * together; instructions in the middle move to the front; instructions alone become the user's words.
 */
export function renderTurns(request: TextRequest, unsupported: Unsupported): RenderedTurns {
  const middle = request.turns.filter(({ role }) => role === "system");
  unsupported.noteIf("turn.system-place", middle.length > 0);
  const system = [...request.instructions, ...middle.flatMap(({ parts }) => parts)].flatMap((part) =>
    renderPart(part, unsupported),
  );
  const messages = paired(merged(request.turns, unsupported));
  if (messages.length > 0) return { system: systemOf(system), messages };
  return { system: undefined, messages: system.length > 0 ? [{ role: "user", content: system }] : [] };
}

/** One plain text as itself, more as blocks. */
function systemOf(blocks: readonly JsonObject[]): RenderedTurns["system"] {
  const [first] = blocks;
  if (first === undefined) return undefined;
  const { text, cache_control: cache } = first;
  return blocks.length === 1 && typeof text === "string" && cache === undefined ? text : blocks;
}

function merged(turns: readonly Turn[], unsupported: Unsupported): readonly Message[] {
  const joined: { role: Message["role"]; content: JsonObject[] }[] = [];
  for (const turn of turns) {
    if (turn.role === "system") continue;
    const content = renderTurn(turn, unsupported);
    const last = joined.at(-1);
    if (content.length === 0) continue;
    if (last?.role === turn.role) last.content.push(...content);
    else joined.push({ role: turn.role, content: [...content] });
  }
  return joined;
}

function renderTurn({ role, parts }: Turn, unsupported: Unsupported): readonly JsonObject[] {
  return parts.flatMap((part) => {
    if (role === "assistant" && (part.kind === "image" || part.kind === "file"))
      throw unsupportedFailure(`${part.kind} parts of the model`);
    return renderPart(part, unsupported);
  });
}

/**
 * Results right after their calls, before other words of the turn; a call without one gets an error as its result,
 * since the vendor refuses it alone. Throws Failure for a result whose call is not in the turn before.
 */
function paired(messages: readonly Message[]): readonly Message[] {
  const complete: Message[] = [];
  let waiting: readonly unknown[] = [];
  for (const message of messages) {
    if (message.role === "user") complete.push(answered(message.content, waiting));
    else complete.push(message);
    waiting = message.role === "user" ? [] : callsIn(message.content);
  }
  return waiting.length > 0 ? [...complete, answered([], waiting)] : complete;
}

function callsIn(content: readonly JsonObject[]): readonly unknown[] {
  return content.flatMap((block) => (block["type"] === "tool_use" ? [block["id"]] : []));
}

function answered(content: readonly JsonObject[], calls: readonly unknown[]): Message {
  const results = content.filter(isResult);
  const answered = results.map((block) => block["tool_use_id"]);
  if (answered.some((id) => !calls.includes(id))) throw unsupportedFailure("a tool result without its call");
  const missing = calls
    .filter((id) => !answered.includes(id))
    .map((id) => ({ type: "tool_result", tool_use_id: id, content: noResult, is_error: true }));
  return { role: "user", content: [...results, ...missing, ...content.filter((block) => !isResult(block))] };
}

function isResult(block: JsonObject): boolean {
  return block["type"] === "tool_result";
}
