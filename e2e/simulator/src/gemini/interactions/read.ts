import { isRecord, listAt, memberOf, numberAt, textAt } from "../../checks/members.ts";
import { requireShape, Refusal, wrongField } from "../../checks/refusal.ts";
import { questionFrom, type Question } from "../../core/question.ts";
import { isOpaqueDataOf } from "../../core/opaque-data.ts";
import { cachesPrompts, requireLevel } from "../models.ts";
import { thoughtDataKind } from "../rules.ts";
import { interactionShape } from "./shape.ts";

/** Question, and options that only this wire has. */
export interface InteractionRequest {
  readonly question: Question;
  readonly named: { readonly model: string } | { readonly agent: string };
  readonly stream: boolean;
  readonly inBackground: boolean;
  /** True if summaries of the reasoning are sent. */
  readonly summaries: boolean;
  readonly tier: string | undefined;
}

/** Reads a request. Throws a Refusal if it is invalid. */
export function readInteraction(body: unknown): InteractionRequest {
  requireShape(body, interactionShape);
  const [model, agent] = [textAt(body, "model"), textAt(body, "agent")];
  requireValidRequest(body, model, agent);
  const steps = stepsIn(memberOf(body, "input"));
  requireOrder(steps);
  const config = memberOf(body, "generation_config");
  const level = textAt(config, "thinking_level");
  requireLevel(model ?? "", level, ["generation_config", "thinking_level"]);
  const choice = memberOf(config, "tool_choice");
  const allowed = memberOf(choice, "allowed_tools");
  const only = listAt(allowed, "tools");
  const offered = listAt(body, "tools")
    .filter((tool) => textAt(tool, "type") === "function")
    .map((tool) => ({ name: textAt(tool, "name") ?? "", schema: memberOf(tool, "parameters") ?? undefined }));
  const mode = typeof choice === "string" ? choice : textAt(allowed, "mode");
  const formats = Array.isArray(memberOf(body, "response_format"))
    ? listAt(body, "response_format")
    : [memberOf(body, "response_format")].filter(isRecord);
  const text = formats.find((format) => textAt(format, "type") === "text");
  const schema = memberOf(text, "schema");
  const isJson = textAt(text, "mime_type") === "application/json";
  return {
    question: questionFrom(model ?? agent ?? "", [textAt(body, "system_instruction") ?? "", ...steps.map(textOfStep)], {
      tools: only.length === 0 ? offered : offered.filter(({ name }) => only.includes(name)),
      choice: mode === "any" ? "required" : mode === "none" ? "none" : "auto",
      results: lastToolResults(steps),
      reasoning: level !== undefined && level !== "minimal",
      format: schema === undefined ? (isJson ? "json" : undefined) : { schema },
      maxTokens: numberAt(config, "max_output_tokens"),
      stops: listAt(config, "stop_sequences").map(String),
      image: formats.some((format) => textAt(format, "type") === "image"),
      prompt: promptOf(body, model ?? "", steps),
    }),
    named: agent === undefined ? { model: model ?? "" } : { agent },
    stream: memberOf(body, "stream") === true,
    inBackground: memberOf(body, "background") === true,
    summaries: textAt(config, "thinking_summaries") !== "none",
    tier: textAt(body, "service_tier"),
  };
}

/** Returns the prompt for the cache, which stores every beginning of it. Undefined for a model without a cache. */
function promptOf(body: unknown, model: string, steps: readonly unknown[]): Question["prompt"] {
  if (!cachesPrompts(model)) return undefined;
  const system = { role: "system", text: textAt(body, "system_instruction") ?? "", isCut: true };
  const pieces = steps.map((step) => ({ role: textAt(step, "type") ?? "", text: textOfStep(step), isCut: true }));
  return { scope: [model, memberOf(body, "tools")], pieces: [system, ...pieces] };
}

function requireValidRequest(body: unknown, model: string | undefined, agent: string | undefined): void {
  if ((model === undefined) === (agent === undefined))
    throw wrongField(["model"], "Exactly one of model and agent is required.");
  const [background, store] = [memberOf(body, "background") === true, memberOf(body, "store") !== false];
  if (background && !store) throw wrongField(["background"], "background=true requires store=true.");
  if (agent !== undefined && !background)
    throw wrongField(["background"], "Agent interactions require background=true.");
  if (agent !== undefined && memberOf(body, "generation_config") !== undefined)
    throw wrongField(["generation_config"], "generation_config is not supported for agents; use agent_config.");
  if (textAt(body, "previous_interaction_id") !== undefined)
    throw new Refusal(404, "The previous interaction was not found.", { path: ["previous_interaction_id"] });
}

const stepTypes = /^(?:user_input|model_output|thought|\w+_call|\w+_result)$/;

function stepsIn(input: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  const isSteps = list.every((each) => stepTypes.test(textAt(each, "type") ?? ""));
  return isSteps ? list : [{ type: "user_input", content: input }];
}

/** Refuses results without an earlier call, and requests that end with the model's turn. */
function requireOrder(steps: readonly unknown[]): void {
  const open = new Set<string>();
  for (const [at, step] of steps.entries()) {
    const [type, signature] = [textAt(step, "type"), textAt(step, "signature")];
    if (type === "function_call") open.add(textAt(step, "id") ?? "");
    if (type === "function_result" && !open.delete(textAt(step, "call_id") ?? ""))
      throw wrongField(["input", at, "call_id"], "There is no function call with this id.");
    if (type === "thought" && signature !== undefined && !isOpaqueDataOf(thoughtDataKind, signature))
      throw wrongField(["input", at, "signature"], "The thought signature is not valid.");
  }
  if (open.size > 0) throw wrongField(["input"], "A function call has no result.");
  const last = textAt(steps.at(-1), "type");
  if (last !== "user_input" && last !== "function_result")
    throw wrongField(["input", steps.length - 1], "The input must end with user_input or function_result.");
}

function lastToolResults(steps: readonly unknown[]): readonly string[] | undefined {
  const from = steps.findLastIndex((step) => textAt(step, "type") !== "function_result") + 1;
  return from < steps.length ? steps.slice(from).map(textOfStep) : undefined;
}

function textOfStep(step: unknown): string {
  const type = textAt(step, "type");
  if (type === "function_call") return JSON.stringify(memberOf(step, "arguments") ?? {});
  if (type === "thought") return "";
  const content = memberOf(step, type === "function_result" ? "result" : "content");
  return textOfContent(content);
}

function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOfContent).join("");
  const [type, data] = [textAt(content, "type"), textAt(content, "data")];
  if (type === "text") return textAt(content, "text") ?? "";
  if (data !== undefined) return `[${type} ${textAt(content, "mime_type")} ${data.length} characters]`;
  return textAt(content, "uri") === undefined ? JSON.stringify(content ?? "") : `[${type} ${textAt(content, "uri")}]`;
}
