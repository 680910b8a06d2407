import { APIError, type Anthropic } from "@anthropic-ai/sdk";
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";
import { anthropicAt } from "../../../../services/text/test/every-vendor.ts";
import {
  droppedIn,
  parametersOf,
  type Client,
  type Reply,
  type ReplyUsage,
  type Piece,
  type Question,
} from "../question.ts";
import { memberOf } from "./members.ts";

export const anthropicMessages: Client = {
  name: "anthropic",
  wire: "messages",
  endings: {
    stop: "end_turn",
    length: "max_tokens",
    calls: "tool_use",
  },
  ask: (suite, key, question) =>
    ask(anthropicAt(suite.edgeUrl, key), question, [{ role: "user", content: question.prompt.map(blockOf) }]),
  errorOf(thrown) {
    if (!(thrown instanceof APIError)) throw thrown;
    return {
      className: thrown.constructor.name,
      status: thrown.status,
      message: thrown.message,
      body: memberOf(thrown.error, "error"),
    };
  },
};

function blockOf(piece: Piece): ContentBlockParam {
  if ("text" in piece) return { type: "text", text: piece.text };
  if ("image" in piece)
    return { type: "image", source: { type: "base64", media_type: "image/png", data: piece.image } };
  return {
    type: "document",
    title: "q3.pdf",
    source: { type: "base64", media_type: "application/pdf", data: piece.pdf },
  };
}

const usualMaxTokens = 4_096;

function bodyOf(question: Question, messages: MessageParam[]): MessageCreateParamsNonStreaming {
  const { tools, schema } = question;
  return {
    model: question.model,
    messages,
    max_tokens: question.maxTokens ?? usualMaxTokens,
    ...(question.system !== undefined && { system: question.system }),
    ...(tools && {
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: parametersOf(tool),
      })),
    }),
    ...(question.reasoning && { thinking: { type: "enabled", budget_tokens: 2_048 } }),
    ...(schema && { output_config: { format: { type: "json_schema", schema: { ...schema } } } }),
  };
}

async function ask(anthropic: Anthropic, question: Question, messages: MessageParam[]): Promise<Reply> {
  const body = bodyOf(question, messages);
  if (!question.stream) {
    const { data, response } = await anthropic.messages.create(body).withResponse();
    return replyOf(anthropic, question, messages, data, response);
  }
  const stream = anthropic.messages.stream(body);
  const { response } = await stream.withResponse();
  return replyOf(anthropic, question, messages, await stream.finalMessage(), response);
}

function replyOf(
  anthropic: Anthropic,
  question: Question,
  messages: MessageParam[],
  { content, stop_reason, usage }: Message,
  response: Response | null | undefined,
): Reply {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    reasoning: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    finish: stop_reason ?? "",
    usage: usageOf(usage),
    dropped: droppedIn(response?.headers.get("x-modelgate-dropped")),
    follow(outputs, change = {}) {
      const results = outputs.map(({ call, output }) => ({
        type: "tool_result" as const,
        tool_use_id: call.id,
        content: output,
      }));
      return ask(anthropic, { ...question, ...change }, [
        ...messages,
        { role: "assistant", content },
        { role: "user", content: results },
      ]);
    },
  };
}

/** Converts the usage. In this wire, input tokens exclude cached ones. */
function usageOf(usage: Message["usage"]): ReplyUsage {
  const [read, written] = [usage.cache_read_input_tokens ?? 0, usage.cache_creation_input_tokens ?? 0];
  return {
    input: usage.input_tokens + read + written,
    cached: read,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens,
  };
}
