import { unsupportedFailure } from "./field-support.ts";
import type { JsonObject, Turn } from "./request.ts";

/** One message of a request, on wires whose content is a list of blocks. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** How such a wire writes calls and their results. */
export interface PairForm {
  /** The id of the call that a block is; undefined for other blocks. */
  callOf(block: JsonObject): unknown;
  /** The id of the call whose result a block is; undefined for other blocks. */
  resultOf(block: JsonObject): unknown;
  /** The result of a call that got none: an error that says so, as the vendor refuses the call alone. */
  missing(id: unknown): JsonObject;
}

/** The result that the model gets for a call without one. */
export const noResult = "no result was given";

/**
 * The dialogue for a vendor that wants all results of one turn's calls together, first in the next message: neighbours of
 * one role are one message. Throws Failure unsupported_parameter for a result whose call is not in the turn before.
 */
export function pairedMessages(
  turns: readonly Turn[],
  render: (turn: Turn) => readonly JsonObject[],
  form: PairForm,
): readonly Message[] {
  const complete: Message[] = [];
  let waiting: readonly unknown[] = [];
  for (const message of merged(turns, render)) {
    if (message.role === "user") complete.push(answered(message.content, waiting, form));
    else complete.push(message);
    waiting = message.role === "user" ? [] : message.content.map((block) => form.callOf(block)).filter(isThere);
  }
  return waiting.length > 0 ? [...complete, answered([], waiting, form)] : complete;
}

function merged(turns: readonly Turn[], render: (turn: Turn) => readonly JsonObject[]): readonly Message[] {
  const joined: { role: Message["role"]; content: JsonObject[] }[] = [];
  for (const turn of turns) {
    if (turn.role === "system") continue;
    const content = render(turn);
    const last = joined.at(-1);
    if (content.length === 0) continue;
    if (last?.role === turn.role) last.content.push(...content);
    else joined.push({ role: turn.role, content: [...content] });
  }
  return joined;
}

function answered(content: readonly JsonObject[], calls: readonly unknown[], form: PairForm): Message {
  const isResult = (block: JsonObject): boolean => form.resultOf(block) !== undefined;
  const results = content.filter(isResult);
  const answeredIds = results.map((block) => form.resultOf(block));
  if (answeredIds.some((id) => !calls.includes(id))) throw unsupportedFailure("a tool result without its call");
  const missing = calls.filter((id) => !answeredIds.includes(id)).map((id) => form.missing(id));
  return { role: "user", content: [...results, ...missing, ...content.filter((block) => !isResult(block))] };
}

function isThere(id: unknown): boolean {
  return id !== undefined;
}
