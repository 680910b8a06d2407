import { listAt, memberOf, numberAt, textAt } from "../../checks/members.ts";
import { demand, Refusal } from "../../checks/refusal.ts";
import { questionFrom, type OfferedTool, type Question } from "../../core/question.ts";
import { instructionsFirst } from "../instructions-first.ts";
import { demandItemSense, demandSense, withKeptItems } from "./rules.ts";
import { responsesShape } from "./shape.ts";
import { keptConversation } from "./store.ts";
import { wordsOfItem } from "./words.ts";

/** A request to the responses endpoint: the question, and what only this wire knows. */
export interface ResponsesAsked {
  readonly question: Question;
  readonly body: unknown;
  readonly stream: boolean;
  /** The conversation up to here, for the answer that follows it. */
  readonly items: readonly unknown[];
  /** Whether thoughts are shown in short; a directive's are always. */
  readonly summary: boolean;
  readonly sealed: boolean;
  readonly logprobs: boolean;
}

/** Reads a request. Throws a Refusal for what the vendor would refuse. */
export function readResponses(body: unknown, key: string): ResponsesAsked {
  demand(body, responsesShape);
  demandSense(body);
  const items = conversationOf(body, key);
  const reasoning = memberOf(body, "reasoning") ?? undefined;
  const include = listAt(body, "include");
  const format = memberOf(memberOf(body, "text"), "format");
  const tools = listAt(body, "tools");
  const said = [textAt(body, "instructions") ?? "", ...instructionsFirst(items).map(wordsOfItem)];
  return {
    question: questionFrom(textAt(body, "model") ?? "", said, {
      tools: tools.flatMap(offered),
      choice: choiceIn(memberOf(body, "tool_choice")),
      parallel: memberOf(body, "parallel_tool_calls") !== false,
      results: resultsIn(items),
      reasoning: reasoning !== undefined && textAt(reasoning, "effort") !== "none",
      format: formatIn(format),
      maxTokens: numberAt(body, "max_output_tokens"),
      image: textAt(memberOf(body, "tool_choice"), "type") === "image_generation",
    }),
    body,
    stream: memberOf(body, "stream") === true,
    items,
    summary: (textAt(reasoning, "summary") ?? textAt(reasoning, "generate_summary")) !== undefined,
    sealed: include.includes("reasoning.encrypted_content"),
    logprobs: include.includes("message.output_text.logprobs"),
  };
}

/** What was said before and now, as items. Throws a Refusal where it makes no sense. */
export function conversationOf(body: unknown, key: string): readonly unknown[] {
  const previous = textAt(body, "previous_response_id");
  const before = previous === undefined ? [] : keptConversation(key, previous);
  if (before === undefined)
    throw new Refusal(400, `There is no response '${previous}'.`, {
      code: "previous_response_not_found",
      path: ["previous_response_id"],
    });
  const given = memberOf(body, "input") ?? undefined;
  if (given === undefined && before.length === 0)
    throw new Refusal(400, "'input' is required.", { path: ["input"], problem: "missing" });
  const input =
    typeof given === "string"
      ? [{ type: "message", role: "user", content: given }]
      : withKeptItems(listAt(body, "input"), key);
  demandItemSense(input, before, key);
  return [...before, ...input];
}

function resultsIn(items: readonly unknown[]): readonly string[] | undefined {
  const results: string[] = [];
  for (const item of items.toReversed()) {
    const type = textAt(item, "type");
    if (type !== "function_call_output" && type !== "custom_tool_call_output") break;
    results.unshift(wordsOfItem(item));
  }
  return results.length > 0 ? results : undefined;
}

function offered(tool: unknown): readonly OfferedTool[] {
  const name = textAt(tool, "name") ?? "";
  switch (textAt(tool, "type") ?? "") {
    case "function":
      return [{ name, schema: memberOf(tool, "parameters") ?? undefined }];
    case "custom":
      return [{ name, custom: true }];
    case "namespace":
      return listAt(tool, "tools").flatMap((each) => offered(each).map((one) => ({ ...one, namespace: name })));
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
