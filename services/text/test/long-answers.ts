import type { ResponseOutputItem } from "openai/resources/responses/responses";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { Area } from "../../../libs/relay/test/area.ts";
import { sdk } from "./requests.ts";

export interface LongAnswer {
  readonly text: string;
  /** Reason of the end, as the client's wire names it. */
  readonly ending: string;
  /** Input and output tokens; absent if the client did not request the usage. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

/** Requests a stream from a model with an official SDK, and reads it to its end. */
export type Listen = (area: Area, key: string, model: string) => Promise<LongAnswer>;

const question = "Tell me a long story.";
const messages = [{ role: "user" as const, content: question }];

function chat(usage: boolean): Listen {
  return async (area, key, model) => {
    const options = usage ? { stream_options: { include_usage: true } } : {};
    const stream = await sdk(area, key).chat.completions.create({ model, messages, stream: true, ...options });
    let received: LongAnswer = { text: "", ending: "" };
    for await (const { choices, usage: reported } of stream) {
      const [choice] = choices;
      received = {
        text: received.text + (choice?.delta.content ?? ""),
        ending: received.ending + (choice?.finish_reason ?? ""),
        input: reported?.prompt_tokens ?? received.input,
        output: reported?.completion_tokens ?? received.output,
      };
    }
    return received;
  };
}

const completions: Listen = async (area, key, model) => {
  const options = { stream_options: { include_usage: true } };
  const stream = await sdk(area, key).completions.create({
    model,
    prompt: question,
    stream: true,
    // The usual default of this wire is small.
    max_tokens: 20_000,
    ...options,
  });
  let received: LongAnswer = { text: "", ending: "" };
  for await (const { choices, usage: reported } of stream) {
    const [choice] = choices;
    received = {
      text: received.text + (choice?.text ?? ""),
      ending: received.ending + (choice?.finish_reason ?? ""),
      input: reported?.prompt_tokens ?? received.input,
      output: reported?.completion_tokens ?? received.output,
    };
  }
  return received;
};

/** Reads response events. Checks their sequence numbers, and that the last event repeats all text. */
const responses: Listen = async (area, key, model) => {
  const stream = await sdk(area, key).responses.create({ model, input: question, stream: true });
  let [text, number] = ["", 0];
  const done: string[] = [];
  for await (const event of stream) {
    if (event.sequence_number !== number++)
      throw new Error(`event ${event.sequence_number} where ${number - 1} was due`);
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.output_text.done") done.push(event.text);
    if (event.type === "response.output_item.done") done.push(textIn(event.item));
    if (event.type !== "response.completed" && event.type !== "response.incomplete") continue;
    const { response } = event;
    done.push(response.output.map(textIn).join(""));
    if (!done.every((reported) => reported === text)) throw new Error("the end has another text");
    const ending = response.incomplete_details?.reason ?? response.status ?? "";
    return { text, ending, input: response.usage?.input_tokens, output: response.usage?.output_tokens };
  }
  throw new Error("the stream has no end");
};

function textIn(item: ResponseOutputItem): string {
  if (item.type !== "message") return "";
  return item.content.map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

const message: Listen = async (area, key, model) => {
  const { content, stop_reason, usage } = await new Anthropic({
    baseURL: area.url,
    apiKey: key,
    maxRetries: 0,
  }).messages
    .stream({ model, messages, max_tokens: 20_000 })
    .finalMessage();
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, ending: stop_reason ?? "", input: usage.input_tokens, output: usage.output_tokens };
};

const content: Listen = async (area, key, model) => {
  let received: LongAnswer = { text: "", ending: "" };
  for await (const piece of await new GoogleGenAI({
    apiKey: key,
    httpOptions: { baseUrl: area.url },
  }).models.generateContentStream({ model, contents: question })) {
    const { text, candidates, usageMetadata } = piece;
    received = {
      text: received.text + (text ?? ""),
      ending: received.ending + (candidates?.[0]?.finishReason ?? ""),
      input: usageMetadata?.promptTokenCount ?? received.input,
      output: usageMetadata?.candidatesTokenCount ?? received.output,
    };
  }
  return received;
};

/**
 * Clients, each with the model that serves it, and the finish reasons that its format has for an answer cut at the
 * output limit (`length`) and for a normal end (`whole`).
 */
export const longAnswers: readonly {
  readonly name: string;
  readonly model: string;
  readonly listen: Listen;
  readonly length: string;
  readonly whole: string;
}[] = [
  { name: "chat-bytes", model: "chat", listen: chat(true), length: "length", whole: "stop" },
  { name: "chat-patched", model: "chat", listen: chat(false), length: "length", whole: "stop" },
  { name: "chat-converted", model: "messages", listen: chat(true), length: "length", whole: "stop" },
  { name: "responses", model: "responses", listen: responses, length: "max_output_tokens", whole: "completed" },
  { name: "responses-converted", model: "chat", listen: responses, length: "max_output_tokens", whole: "completed" },
  { name: "messages", model: "messages", listen: message, length: "max_tokens", whole: "end_turn" },
  { name: "messages-converted", model: "content", listen: message, length: "max_tokens", whole: "end_turn" },
  { name: "content", model: "content", listen: content, length: "MAX_TOKENS", whole: "STOP" },
  { name: "content-converted", model: "responses", listen: content, length: "MAX_TOKENS", whole: "STOP" },
  { name: "completions", model: "completions", listen: completions, length: "length", whole: "stop" },
  { name: "completions-converted", model: "chat", listen: completions, length: "length", whole: "stop" },
];
