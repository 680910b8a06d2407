import { Failure, type Units } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { FinishReason, TextAnswer } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import { answerToEvents } from "../hub/events.ts";
import { isToolList } from "./client-request.ts";
import { PartWriter } from "./part-writer.ts";
import { renderUsage } from "./usage.ts";
import { endingOf, type ResponseEnding } from "./vendor-answer.ts";

/** Renders a complete answer with the writer of streams, so that streams and answers have the same items. */
export function renderAnswer(answer: TextAnswer, context: AnswerContext): JsonRecord {
  const [choice] = answer.choices;
  if (choice === undefined) throw new Failure("upstream_error", "The vendor's answer is empty.");
  const writer = new PartWriter(context, () => "");
  for (const event of answerToEvents(answer)) writer.write(event);
  const ending = endingOf(finishOf(choice.finish, context), writer.isRefusedAsText);
  writer.close(ending.status === "completed");
  return responseObject(context, {
    ...ending,
    output: writer.output,
    usage: answer.usage,
    completedAt: ending.status === "completed" ? context.now : null,
    serviceTier: answer.serviceTier,
  });
}

/** Returns the finish reason. A request that only fills the cache is complete without output. */
export function finishOf(reason: FinishReason, { request }: AnswerContext): FinishReason {
  return request.prewarm === true ? "stop" : reason;
}

/** Members of a response object that do not repeat the request. */
export interface ResponseState {
  readonly status: ResponseEnding["status"] | "in_progress";
  readonly incomplete_details: JsonRecord | null;
  readonly error: JsonRecord | null;
  readonly output: readonly JsonRecord[];
  readonly usage: Units | undefined;
  /** Time in Unix seconds; null if it is unknown. */
  readonly completedAt: number | null;
  readonly serviceTier?: string | undefined;
}

/** Fields of the request that a response repeats, with their defaults. */
const echoed: Readonly<Record<string, unknown>> = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
};

/** Renders the response object, for an answer or an event. */
export function responseObject(context: AnswerContext, state: ResponseState): JsonRecord {
  const { requestBody: body } = context;
  const echo = Object.fromEntries(
    Object.entries(echoed).map(([name, defaultValue]) => [name, body[name] ?? defaultValue]),
  );
  return {
    id: context.answerId,
    object: "response",
    created_at: context.now,
    completed_at: state.completedAt,
    status: state.status,
    error: state.error,
    incomplete_details: state.incomplete_details,
    model: context.model,
    output: state.output,
    ...echo,
    ...echoConversation(body["conversation"]),
    reasoning: echoReasoning(body["reasoning"]),
    service_tier: state.serviceTier ?? echoTier(body["service_tier"]),
    text: echoText(body["text"]),
    tools: isToolList(body["tools"]) ? body["tools"].map(echoTool) : [],
    usage: state.usage === undefined ? null : renderUsage(state.usage),
  };
}

function echoConversation(conversation: unknown): JsonRecord {
  if (typeof conversation === "string") return { conversation: { id: conversation } };
  return isRecord(conversation) ? { conversation: { id: conversation["id"] } } : {};
}

function echoTier(tier: unknown): string {
  return typeof tier === "string" && tier !== "auto" ? tier : "default";
}

function echoTool(tool: JsonRecord): JsonRecord {
  return tool["type"] === "function" ? { description: null, parameters: null, strict: false, ...tool } : tool;
}

function echoReasoning(reasoning: unknown): JsonRecord {
  const options = asRecord(reasoning);
  return {
    effort: options["effort"] ?? null,
    summary: options["summary"] ?? options["generate_summary"] ?? null,
  };
}

function echoText(text: unknown): JsonRecord {
  const options = asRecord(text);
  return { ...options, format: options["format"] ?? { type: "text" } };
}
