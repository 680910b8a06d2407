import { APIError, type OpenAI } from "openai";
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from "openai/resources";
import { openaiAt } from "../../../../services/text/test/every-vendor.ts";
import {
  droppedIn,
  parametersOf,
  type Client,
  type Reply,
  type SdkError,
  type Piece,
  type Question,
} from "../question.ts";
import { collectChat, type ChatMessage, type ChatAnswer } from "./chat-chunks.ts";

export const openaiChat: Client = {
  name: "openai chat",
  wire: "chat",
  endings: { stop: "stop", length: "length", calls: "tool_calls" },
  ask(suite, key, question) {
    const messages: ChatCompletionMessageParam[] = [
      ...(question.system === undefined ? [] : [{ role: "system" as const, content: question.system }]),
      { role: "user", content: question.prompt.map(partOf) },
    ];
    return ask(openaiAt(suite.edgeUrl, key), question, messages);
  },
  errorOf: openaiError,
};

export function openaiError(thrown: unknown): SdkError {
  if (!(thrown instanceof APIError)) throw thrown;
  return { className: thrown.constructor.name, status: thrown.status, message: thrown.message, body: thrown.error };
}

function partOf(piece: Piece): ChatCompletionContentPart {
  if ("text" in piece) return { type: "text", text: piece.text };
  if ("image" in piece) return { type: "image_url", image_url: { url: `data:image/png;base64,${piece.image}` } };
  return { type: "file", file: { filename: "q3.pdf", file_data: `data:application/pdf;base64,${piece.pdf}` } };
}

function settingsOf(question: Question): Omit<ChatCompletionCreateParams, "messages" | "stream" | "model"> {
  const { tools, schema } = question;
  return {
    ...(tools && {
      tools: tools.map((tool) => ({
        type: "function",
        function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) },
      })),
    }),
    ...(question.reasoning && { reasoning_effort: "medium" }),
    ...(schema && {
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: { ...schema } } },
    }),
    ...(question.maxTokens !== undefined && { max_completion_tokens: question.maxTokens }),
  };
}

async function ask(openai: OpenAI, question: Question, messages: ChatCompletionMessageParam[]): Promise<Reply> {
  const settings = { model: question.model, messages, ...settingsOf(question) };
  if (!question.stream) {
    const { data, response } = await openai.chat.completions.create({ ...settings, stream: false }).withResponse();
    const [choice] = data.choices;
    if (choice === undefined) throw new Error("no choice");
    return replyOf(openai, question, messages, { ...choice, usage: data.usage }, response);
  }
  const { data, response } = await openai.chat.completions
    .create({ ...settings, stream: true, stream_options: { include_usage: true } })
    .withResponse();
  return replyOf(openai, question, messages, await collectChat(data), response);
}

function replyOf(
  openai: OpenAI,
  question: Question,
  messages: ChatCompletionMessageParam[],
  { message, finish_reason, usage }: ChatAnswer,
  response: Response,
): Reply {
  return {
    text: message.content ?? "",
    reasoning: thoughtsIn(message),
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
        : [],
    ),
    finish: finish_reason,
    usage: {
      input: usage?.prompt_tokens,
      cached: usage?.prompt_tokens_details?.cached_tokens,
      output: usage?.completion_tokens,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens,
    },
    dropped: droppedIn(response.headers.get("x-modelgate-dropped")),
    follow(outputs, change = {}) {
      const results = outputs.map(({ call, output }) => ({
        role: "tool" as const,
        tool_call_id: call.id,
        content: output,
      }));
      return ask(openai, { ...question, ...change }, [...messages, message, ...results]);
    },
  };
}

const thoughtsIn = (message: ChatMessage): string => message.reasoning_content ?? "";
