import { listAt, memberOf, numberAt, textAt } from "../../checks/members.ts";
import { requireShape, Refusal } from "../../checks/refusal.ts";
import { questionFrom, type OfferedTool, type Question } from "../../core/question.ts";
import { instructionsFirst } from "../instructions-first.ts";
import { promptOf } from "../prompt.ts";
import { requireValidItems, requireValidRequest, withStoredItems } from "./rules.ts";
import { responsesShape } from "./shape.ts";
import { storedConversation } from "./store.ts";
import { isPart, textOfItem, textOfPart } from "./words.ts";

/** A parsed request: the question, and the options of this wire. */
export interface ResponsesRequest {
  readonly question: Question;
  readonly body: unknown;
  readonly stream: boolean;
  /** The conversation so far, which is stored with the answer. */
  readonly items: readonly unknown[];
  /** True if summaries of reasoning are requested. A directive can request reasoning too. */
  readonly summary: boolean;
  readonly includesEncryptedReasoning: boolean;
  readonly logprobs: boolean;
}

/** Reads a request. Throws a Refusal if it is invalid. */
export function readResponses(body: unknown, key: string): ResponsesRequest {
  requireShape(body, responsesShape);
  requireValidRequest(body);
  const items = conversationOf(body, key);
  const reasoning = memberOf(body, "reasoning") ?? undefined;
  const include = listAt(body, "include");
  const format = memberOf(memberOf(body, "text"), "format");
  const tools = listAt(body, "tools");
  const systemTexts = [textAt(body, "instructions") ?? "", ...instructionsFirst(items).map(textOfItem)];
  return {
    question: questionFrom(textAt(body, "model") ?? "", systemTexts, {
      tools: tools.flatMap(offeredTools),
      choice: choiceIn(memberOf(body, "tool_choice")),
      parallel: memberOf(body, "parallel_tool_calls") !== false,
      results: lastToolResults(items),
      reasoning: reasoning !== undefined && textAt(reasoning, "effort") !== "none",
      format: formatIn(format),
      maxTokens: numberAt(body, "max_output_tokens"),
      image: textAt(memberOf(body, "tool_choice"), "type") === "image_generation",
      prompt: promptOf(body, items, (part) => (isPart(part) ? textOfPart(part) : textOfItem(part))),
    }),
    body,
    stream: memberOf(body, "stream") === true,
    items,
    summary: (textAt(reasoning, "summary") ?? textAt(reasoning, "generate_summary")) !== undefined,
    includesEncryptedReasoning: include.includes("reasoning.encrypted_content"),
    logprobs: include.includes("message.output_text.logprobs"),
  };
}

/** Returns the items of the previous and the new messages. Throws a Refusal if the previous response is not stored. */
export function conversationOf(body: unknown, key: string): readonly unknown[] {
  const previous = textAt(body, "previous_response_id");
  const before = previous === undefined ? [] : storedConversation(key, previous);
  if (before === undefined)
    throw new Refusal(400, `There is no response '${previous}'.`, {
      code: "previous_response_not_found",
      path: ["previous_response_id"],
    });
  const newInput = memberOf(body, "input") ?? undefined;
  if (newInput === undefined && before.length === 0)
    throw new Refusal(400, "'input' is required.", { path: ["input"], problem: "missing" });
  const input =
    typeof newInput === "string"
      ? [{ type: "message", role: "user", content: newInput }]
      : withStoredItems(listAt(body, "input"), key);
  requireValidItems(input, before, key);
  return [...before, ...input];
}

function lastToolResults(items: readonly unknown[]): readonly string[] | undefined {
  const results: string[] = [];
  for (const item of items.toReversed()) {
    const type = textAt(item, "type");
    if (type !== "function_call_output" && type !== "custom_tool_call_output") break;
    results.unshift(textOfItem(item));
  }
  return results.length > 0 ? results : undefined;
}

function offeredTools(tool: unknown): readonly OfferedTool[] {
  const name = textAt(tool, "name") ?? "";
  switch (textAt(tool, "type") ?? "") {
    case "function":
      return [{ name, schema: memberOf(tool, "parameters") ?? undefined }];
    case "custom":
      return [{ name, custom: true }];
    case "namespace":
      return listAt(tool, "tools").flatMap((each) => offeredTools(each).map((one) => ({ ...one, namespace: name })));
    default:
      return [];
  }
}

function choiceIn(choice: unknown): Question["choice"] {
  if (choice === "none" || choice === "required") return choice;
  if (textAt(choice, "mode") === "required") return "required";
  const name = textAt(choice, "name");
  return name === undefined ? "auto" : { name };
}

function formatIn(format: unknown): Question["format"] {
  const type = textAt(format, "type");
  if (type === "json_object") return "json";
  return type === "json_schema" ? { schema: memberOf(format, "schema") } : undefined;
}
