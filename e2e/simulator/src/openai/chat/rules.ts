import { listAt, memberOf, numberAt, textAt } from "../../checks/members.ts";
import { bracketPath, Refusal, wrongField } from "../../checks/refusal.ts";
import type { Path } from "../../checks/shape.ts";
import { requireModelValues } from "../models.ts";
import { requireStrictSchema } from "../strict-schema.ts";

/** Refuses a request whose members have the right types, but which the vendor would refuse. */
export function requireValidRequest(body: unknown): void {
  requireModelValues(body, ["reasoning_effort"]);
  requireToolOrder(listAt(body, "messages"));
  requireValidFiles(listAt(body, "messages"));
  requireValidToolChoice(body);
  refuseToolsWithEffort(body);
  if (memberOf(body, "stream") !== true && (memberOf(body, "stream_options") ?? null) !== null)
    throw wrongField(["stream_options"], "'stream_options' is for streams only.");
  if (numberAt(body, "max_tokens") !== undefined && numberAt(body, "max_completion_tokens") !== undefined)
    throw wrongField(["max_tokens"], "'max_tokens' and 'max_completion_tokens' exclude one another.");
  if (numberAt(body, "top_logprobs") !== undefined && memberOf(body, "logprobs") !== true)
    throw wrongField(["top_logprobs"], "'top_logprobs' is only taken together with 'logprobs'.");
  requireValidFormat(body);
  refuseForeignFields(body);
}

/** Returns true for a model of OpenAI, which refuses fields of compatible vendors. */
export function isOpenAiModel(model: string): boolean {
  return /^(?:o\d|gpt-\d|chatgpt-)/.test(model);
}

/**
 * Refuses function tools together with reasoning in the newest models (openai/openai-openapi#541,
 * BerriAI/litellm#34569). Some of these models reason by default.
 */
function refuseToolsWithEffort(body: unknown): void {
  const model = textAt(body, "model") ?? "";
  const newest = /^gpt-5\.([4-9])/.exec(model);
  if (newest === null || listAt(body, "tools").length === 0) return;
  const effort = textAt(body, "reasoning_effort") ?? (Number(newest[1]) >= 6 ? "medium" : "none");
  if (effort === "none") return;
  throw new Refusal(
    400,
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ` +
      "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    { path: ["reasoning_effort"] },
  );
}

function refuseForeignFields(body: unknown): void {
  if (!isOpenAiModel(textAt(body, "model") ?? "")) return;
  const unknown = (path: Path): Refusal =>
    new Refusal(400, `There is no parameter '${bracketPath(path)}'.`, { path, problem: "unknown" });
  for (const name of ["top_k", "image_config"]) if (memberOf(body, name) !== undefined) throw unknown([name]);
  if ((memberOf(body, "web_search_options") ?? undefined) !== undefined && !/-search/.test(textAt(body, "model") ?? ""))
    throw unknown(["web_search_options"]);
  if (listAt(body, "modalities").includes("image"))
    throw wrongField(["modalities"], "'modalities' is one or both of text and audio.");
  for (const [at, message] of listAt(body, "messages").entries())
    if (memberOf(message, "reasoning_content") !== undefined) throw unknown(["messages", at, "reasoning_content"]);
}

/** Refuses tool messages without a call before them, and calls without an answer. */
function requireToolOrder(messages: readonly unknown[]): void {
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const role = textAt(message, "role");
    if (role === "tool") {
      if (!open.delete(textAt(message, "tool_call_id") ?? ""))
        throw wrongField(
          ["messages", at, "tool_call_id"],
          "A tool message must answer a tool call of the assistant message before it.",
        );
      continue;
    }
    requireAnswered(open, at);
    open = new Set(listAt(message, "tool_calls").map((call) => textAt(call, "id") ?? ""));
    if (role === "assistant" && open.size === 0 && (memberOf(message, "content") ?? null) === null)
      requireContent(message, at);
  }
  requireAnswered(open, messages.length);
}

function requireAnswered(open: ReadonlySet<string>, at: number): void {
  if (open.size > 0)
    throw wrongField(
      ["messages", at],
      `Tool calls must be answered by tool messages; these are not: ${[...open].join(", ")}.`,
    );
}

function requireContent(message: unknown, at: number): void {
  const other = ["refusal", "function_call", "audio"].some((name) => (memberOf(message, name) ?? null) !== null);
  if (!other)
    throw wrongField(["messages", at, "content"], "An assistant message needs content, a refusal, or tool calls.");
}

function requireValidFiles(messages: readonly unknown[]): void {
  for (const [at, message] of messages.entries())
    for (const [place, part] of listAt(message, "content").entries()) {
      const file = memberOf(part, "file");
      if (file === undefined) continue;
      const path = ["messages", at, "content", place, "file"];
      if (textAt(file, "file_id") !== undefined)
        throw new Refusal(400, `There is no file ${textAt(file, "file_id")}.`, { path: [...path, "file_id"] });
      if (textAt(file, "file_data") === undefined)
        throw new Refusal(400, "A file needs data.", { path: [...path, "file_data"], problem: "missing" });
    }
}

function requireValidToolChoice(body: unknown): void {
  const tools = listAt(body, "tools");
  const choice = memberOf(body, "tool_choice") ?? undefined;
  if (choice !== undefined && tools.length === 0)
    throw wrongField(["tool_choice"], "'tool_choice' is only taken together with 'tools'.");
  if ((memberOf(body, "parallel_tool_calls") ?? undefined) !== undefined && tools.length === 0)
    throw wrongField(["parallel_tool_calls"], "'parallel_tool_calls' is only taken together with 'tools'.");
  const names = tools.map((tool) => textAt(memberOf(tool, textAt(tool, "type") ?? ""), "name"));
  const chosenTool = textAt(memberOf(choice, textAt(choice, "type") ?? ""), "name");
  if (chosenTool !== undefined && !names.includes(chosenTool))
    throw wrongField(["tool_choice"], `There is no tool '${chosenTool}' among 'tools'.`);
  for (const [at, tool] of tools.entries()) {
    const called = memberOf(tool, "function");
    if (memberOf(called, "strict") === true)
      requireStrictSchema(memberOf(called, "parameters"), ["tools", at, "function", "parameters"]);
  }
}

function requireValidFormat(body: unknown): void {
  const format = memberOf(body, "response_format");
  const schema = memberOf(format, "json_schema");
  if (memberOf(schema, "strict") === true) requireStrictSchema(memberOf(schema, "schema"), ["response_format"]);
  if (textAt(format, "type") === "json_object" && !/json/i.test(JSON.stringify(memberOf(body, "messages"))))
    throw wrongField(["messages"], "With 'response_format' json_object, the messages must say the word json.");
}
