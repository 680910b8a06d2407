import { isRecord, listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import type { Shape } from "../checks/shape.ts";
import type { Prompt } from "../core/prompt-cache.ts";
import { questionFrom, type OfferedTool, type Question } from "../core/question.ts";
import { requireValidRequest } from "./rules.ts";
import { blocksIn, blocksOf, turnsOf } from "./turns.ts";

/** Reads a request. Throws a Refusal if it is invalid. */
export function readMessages(body: unknown, shape: Shape): Question {
  requireShape(body, shape);
  requireValidRequest(body);
  const turns = turnsOf(body);
  const thinking = textAt(memberOf(body, "thinking"), "type") ?? "disabled";
  const choice = memberOf(body, "tool_choice");
  const results = blocksOf(turns.at(-1), "tool_result").map(textOfBlock);
  const format = memberOf(memberOf(body, "output_config"), "format");
  const systems = listAt(body, "messages").filter((message) => textAt(message, "role") === "system");
  const texts = [
    textOfContent(memberOf(body, "system")),
    ...systems.map((message) => textOfContent(memberOf(message, "content"))),
    ...turns.map(({ blocks }) => textOfContent(blocks)),
  ];
  return questionFrom(textAt(body, "model") ?? "", texts, {
    tools: listAt(body, "tools").flatMap(offeredTools),
    choice: choiceIn(choice),
    parallel: memberOf(choice, "disable_parallel_tool_use") !== true,
    results: results.length > 0 ? results : undefined,
    reasoning: (thinking === "enabled" || thinking === "adaptive") && numberAt(body, "max_tokens") !== 0,
    format: (format ?? undefined) === undefined ? undefined : { schema: memberOf(format, "schema") },
    maxTokens: numberAt(body, "max_tokens"),
    stops: listAt(body, "stop_sequences").map(String),
    prompt: promptOf(body),
  });
}

/** Returns the prompt, which is cached up to its cache marks. */
function promptOf(body: unknown): Prompt {
  const blocks = [
    ...blocksIn({ content: memberOf(body, "system") }).map((block) => ({ role: "system", block })),
    ...listAt(body, "messages").flatMap((message) =>
      blocksIn(message).map((block) => ({ role: textAt(message, "role") ?? "", block })),
    ),
  ];
  const marksEnd = isRecord(memberOf(body, "cache_control"));
  return {
    scope: [memberOf(body, "model"), memberOf(body, "tools")],
    pieces: blocks.map(({ role, block }, at) => ({
      role,
      text: textOfBlock(block),
      isCut: isRecord(memberOf(block, "cache_control")) || (marksEnd && at === blocks.length - 1),
    })),
  };
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : []).map(textOfBlock).join("");
}

/** Returns a block as text. Pictures and files are described by kind and size. */
function textOfBlock(block: unknown): string {
  const source = memberOf(block, "source");
  const size = `${(textAt(source, "data") ?? textAt(source, "url") ?? "").length} characters`;
  switch (textAt(block, "type") ?? "") {
    case "image":
      return `[image ${size}]`;
    case "document":
      return `[file ${textAt(block, "title") ?? "?"} ${size}]`;
    case "tool_use":
      return JSON.stringify(memberOf(block, "input"));
    case "thinking":
      return textAt(block, "thinking") ?? "";
    default:
      return textAt(block, "text") ?? textOfContent(memberOf(block, "content"));
  }
}

/** Returns the tool if the client runs it. The simulator never calls tools of the vendor. */
function offeredTools(tool: unknown): readonly OfferedTool[] {
  const schema = memberOf(tool, "input_schema");
  return schema === undefined ? [] : [{ name: textAt(tool, "name") ?? "", schema }];
}

function choiceIn(choice: unknown): Question["choice"] {
  const type = textAt(choice, "type");
  if (type === "tool") return { name: textAt(choice, "name") ?? "" };
  return type === "any" ? "required" : type === "none" ? "none" : "auto";
}
