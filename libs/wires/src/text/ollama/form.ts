import { argsOf } from "../hub/call-arguments.ts";
import type { ToolCallPart } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** What a piece of an answer says: words, thoughts, calls, images as Base64. */
export interface Said {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly calls?: readonly JsonObject[] | undefined;
  readonly images?: readonly string[] | undefined;
}

/** How an endpoint's answers hold what was said. */
export type AnswerForm = (said: Said) => JsonObject;

/** `/api/chat`: a message. */
export const chatForm: AnswerForm = ({ text = "", thinking, calls, images }) => ({
  message: { role: "assistant", content: text, thinking, tool_calls: calls, images },
});

/** `/api/generate`: words alone, with thoughts beside them. */
export const generateForm: AnswerForm = ({ text = "", thinking }) => ({ response: text, thinking });

/** A call; `index` is its number in the answer. */
export function renderCall(
  call: Pick<ToolCallPart, "id" | "name" | "arguments" | "custom">,
  index: number,
): JsonObject {
  return { id: call.id, function: { index, name: call.name, arguments: argsOf(call) } };
}
