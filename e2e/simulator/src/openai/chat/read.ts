import { listAt, memberOf, numberAt, textAt } from "../../checks/members.ts";
import { requireShape } from "../../checks/refusal.ts";
import { questionFrom, type OfferedTool, type Question } from "../../core/question.ts";
import { instructionsFirst } from "../instructions-first.ts";
import { promptOf } from "../prompt.ts";
import { chatShape } from "./shape.ts";
import { requireValidRequest, isOpenAiModel } from "./rules.ts";

/** Question, and options that only this wire has. */
export interface ChatRequest {
  readonly question: Question;
  /** True if reasoning is sent. OpenAI does not send it; compatible vendors do. */
  readonly showsThoughts: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Number of alternatives per token. Undefined if no probabilities are requested. */
  readonly topLogprobs: number | undefined;
  /** True if a tool call is rendered as `function_call`. */
  readonly legacy: boolean;
}

/** Reads a chat request. Throws a Refusal if it is invalid. */
export function readChat(body: unknown): ChatRequest {
  requireShape(body, chatShape);
  requireValidRequest(body);
  const messages = listAt(body, "messages");
  const effort = textAt(body, "reasoning_effort") ?? "none";
  const tools = [...listAt(body, "tools").map(offeredTool), ...listAt(body, "functions").map(offeredFunction)];
  return {
    question: questionFrom(
      textAt(body, "model") ?? "",
      instructionsFirst(messages).map((message) => textOf(memberOf(message, "content"))),
      {
        tools,
        choice: choiceIn(memberOf(body, "tool_choice") ?? memberOf(body, "function_call")),
        parallel: memberOf(body, "parallel_tool_calls") !== false,
        results: lastToolResults(messages),
        reasoning: effort !== "none",
        format: formatIn(memberOf(body, "response_format")),
        maxTokens: numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens"),
        stops: stopsIn(memberOf(body, "stop")),
        choices: numberAt(body, "n") ?? 1,
        image: listAt(body, "modalities").includes("image"),
        prompt: promptOf(body, messages, (part) =>
          memberOf(part, "role") === undefined ? textOfPart(part) : textOf(memberOf(part, "content")),
        ),
      },
    ),
    showsThoughts: !isOpenAiModel(textAt(body, "model") ?? ""),
    stream: memberOf(body, "stream") === true,
    includeUsage: memberOf(memberOf(body, "stream_options"), "include_usage") === true,
    topLogprobs: memberOf(body, "logprobs") === true ? (numberAt(body, "top_logprobs") ?? 0) : undefined,
    legacy: listAt(body, "functions").length > 0,
  };
}

/** Returns a content as text. Images and files are described by name and size, so that tests see that they arrived. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : []).map(textOfPart).join("");
}

function textOfPart(part: unknown): string {
  const file = memberOf(part, "file");
  if (file !== undefined)
    return `[file ${textAt(file, "filename") ?? "?"} ${(textAt(file, "file_data") ?? "").length} characters]`;
  const image = memberOf(part, "image_url");
  if (image !== undefined) return `[image ${(textAt(image, "url") ?? "").length} characters]`;
  const audio = memberOf(part, "input_audio");
  if (audio !== undefined)
    return `[audio ${textAt(audio, "format") ?? "?"} ${(textAt(audio, "data") ?? "").length} characters]`;
  return textAt(part, "text") ?? "";
}

function lastToolResults(messages: readonly unknown[]): readonly string[] | undefined {
  const results: string[] = [];
  for (const message of messages.toReversed()) {
    const role = textAt(message, "role");
    if (role !== "tool" && role !== "function") break;
    results.unshift(textOf(memberOf(message, "content")));
  }
  return results.length > 0 ? results : undefined;
}

function offeredTool(tool: unknown): OfferedTool {
  const custom = memberOf(tool, "custom");
  return custom === undefined
    ? offeredFunction(memberOf(tool, "function"))
    : { name: textAt(custom, "name") ?? "", custom: true };
}

function offeredFunction(described: unknown): OfferedTool {
  return { name: textAt(described, "name") ?? "", schema: memberOf(described, "parameters") ?? undefined };
}

function choiceIn(choice: unknown): Question["choice"] {
  if (choice === "none" || choice === "required") return choice;
  const allowed = textAt(memberOf(choice, "allowed_tools"), "mode");
  if (allowed === "required") return "required";
  const name = textAt(memberOf(choice, "function") ?? memberOf(choice, "custom") ?? choice, "name");
  return name === undefined ? "auto" : { name };
}

function formatIn(format: unknown): Question["format"] {
  const type = textAt(format, "type");
  if (type === "json_object") return "json";
  return type === "json_schema" ? { schema: memberOf(memberOf(format, "json_schema"), "schema") } : undefined;
}

/** Returns the stop sequences of a request. */
export function stopsIn(stop: unknown): readonly string[] {
  if (typeof stop === "string") return [stop];
  return Array.isArray(stop) ? stop.map(String) : [];
}
