import type { Behaviour } from "../../behaviour.ts";
import { isRecord, memberOf } from "../../checks/members.ts";
import { answerFor, type Answer } from "../../core/answer.ts";
import { freshId, nowSeconds } from "../../core/ids.ts";
import type { Frame, Streamed } from "../../stream.ts";
import { itemsOf, type OutputItem } from "./items.ts";
import type { ResponsesRequest } from "./read.ts";
import { storeResponse } from "./store.ts";

/** Renders a complete response, and stores it for later requests. */
export function renderResponse(request: ResponsesRequest, behaviour: Behaviour, key: string): object {
  const answer = answerFor(request.question, behaviour);
  const output = itemsOf(request, answer, behaviour).map(({ done }) => done);
  const id = freshId("resp_");
  if (memberOf(request.body, "store") !== false) storeResponse(key, id, [...request.items, ...output]);
  return renderEnd(headOf(request, id), answer, output);
}

export function streamResponse(request: ResponsesRequest, behaviour: Behaviour, key: string): Streamed {
  let sequence = 0;
  const event = (type: string, members: object, more: Partial<Frame> = {}): Frame => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...members }),
    ...more,
  });
  const answer = answerFor(request.question, behaviour);
  const items = itemsOf(request, answer, behaviour);
  const head = headOf(request, freshId("resp_"));
  return {
    frames: (function* () {
      yield event("response.created", { response: head });
      yield event("response.in_progress", { response: head });
      for (const [at, item] of items.entries()) yield* itemFrames(item, at, event);
      const output = items.map(({ done }) => done);
      if (memberOf(request.body, "store") !== false) storeResponse(key, head.id, [...request.items, ...output]);
      const response = renderEnd(head, answer, output);
      yield event(`response.${response.status}`, { response }, { last: true });
    })(),
    error: (message, sent) => {
      sequence = sent;
      return event("error", { code: "server_error", message, param: null });
    },
  };
}

function* itemFrames(
  { added, events, done }: OutputItem,
  output_index: number,
  event: (type: string, members: object, more?: Partial<Frame>) => Frame,
): Generator<Frame> {
  yield event("response.output_item.added", { output_index, item: added });
  for (const { type, members, content = false } of events) yield event(type, { output_index, ...members }, { content });
  yield event("response.output_item.done", { output_index, item: done });
}

/** Returns a response without output. */
function headOf({ body }: ResponsesRequest, id: string) {
  const memberOr = (name: string, otherwise: unknown): unknown => memberOf(body, name) ?? otherwise;
  return {
    id,
    object: "response",
    created_at: nowSeconds(),
    status: "in_progress",
    background: false,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: memberOr("instructions", null),
    max_output_tokens: memberOr("max_output_tokens", null),
    max_tool_calls: memberOr("max_tool_calls", null),
    model: memberOr("model", ""),
    output: [],
    parallel_tool_calls: memberOr("parallel_tool_calls", true),
    presence_penalty: 0,
    previous_response_id: memberOr("previous_response_id", null),
    prompt_cache_key: memberOr("prompt_cache_key", null),
    reasoning: memberOr("reasoning", { effort: null, summary: null }),
    safety_identifier: memberOr("safety_identifier", null),
    service_tier: "default",
    store: memberOr("store", true),
    temperature: memberOr("temperature", 1),
    text: memberOr("text", { format: { type: "text" } }),
    tool_choice: memberOr("tool_choice", "auto"),
    tools: toolsOf(memberOr("tools", [])),
    top_logprobs: memberOr("top_logprobs", 0),
    top_p: memberOr("top_p", 1),
    truncation: memberOr("truncation", "disabled"),
    metadata: memberOr("metadata", {}),
    user: memberOr("user", null),
    usage: null,
  };
}

/** Renders the tools as the vendor repeats them. Functions are strict by default. */
function toolsOf(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: unknown) =>
    isRecord(tool) && tool["type"] === "function" ? { ...tool, strict: tool["strict"] ?? true } : tool,
  );
}

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

function renderEnd(head: ReturnType<typeof headOf>, answer: Answer, output: readonly object[]) {
  const reason = incompleteReasons[answer.finish];
  const failed = answer.finish === "failed";
  return {
    ...head,
    status: failed ? "failed" : reason === undefined ? "completed" : "incomplete",
    ...(reason === undefined && !failed && { completed_at: nowSeconds() }),
    error: failed ? { code: "server_error", message: "simulated failure" } : null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: renderUsage(answer),
  };
}

/** Returns the usage; null if none is reported. */
export function renderUsage({ counts, usage }: Answer): object | null {
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = counts;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
