import type { JsonRecord } from "../../json/fields.ts";
import { dialogueOf, type Dialogue } from "../dialogue.ts";

/** Types of items that a model made and that are not messages. */
const answerTypes: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "reasoning",
  "web_search_call",
]);

/** Reads what a request says of its conversation. Its instructions are left out: they do not go on from turn to turn. */
export function readDialogue(body: JsonRecord): Dialogue {
  const { input } = body;
  const turns = typeof input === "string" ? [{ content: input }] : input;
  return dialogueOf(body, { turns }, ({ role, type }) => role === "assistant" || answerTypes.has(type));
}
