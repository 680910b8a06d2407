import type { Sending } from "../../chaos/exchange.ts";
import { json, type Handler, type VendorRequest } from "../vendor.ts";
import type { AttackModel } from "../attack.ts";

/** Text wires of the attacks. */
export const textWires = ["chat", "responses", "messages", "generateContent"] as const;
export type TextWire = (typeof textWires)[number];

/** Text and usage of a vendor's answer. The usage may be invalid. */
export interface Reported {
  readonly text?: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

const placeOf: Readonly<Record<TextWire, Pick<AttackModel, "provider" | "path">>> = {
  chat: { provider: "openai", path: "v1" },
  responses: { provider: "openai", path: "v1" },
  messages: { provider: "anthropic", path: "anthropic" },
  generateContent: { provider: "gemini", path: "gemini" },
};

/** Creates a model for each text wire, named after the wire. */
export function textModels(price: object, answers: Handler, more: Partial<AttackModel> = {}): readonly AttackModel[] {
  return textWires.map((wire) => ({ name: wire, kind: "chat", price, ...placeOf[wire], answers, ...more }));
}

const requestOf: Readonly<Record<TextWire, (model: string, more: object, text: string) => Sending>> = {
  chat: (model, more, text) => ({
    path: "/v1/chat/completions",
    body: { model, messages: [{ role: "user", content: text }], ...more },
  }),
  responses: (model, more, text) => ({ path: "/v1/responses", body: { model, input: text, ...more } }),
  messages: (model, more, text) => ({
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: { model, max_tokens: 10, messages: [{ role: "user", content: text }], ...more },
  }),
  generateContent: (model, more, text) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: { contents: [{ role: "user", parts: [{ text }] }], ...more },
  }),
};

/** Creates a request of a wire. `more` adds or replaces fields. */
export function textRequest(wire: TextWire, model: string, more: object = {}, text = "Hello"): Sending {
  return requestOf[wire](model, more, text);
}

export function wireOfRequest({ path }: VendorRequest): TextWire {
  if (path.includes("/responses")) return "responses";
  if (path.includes("/messages")) return "messages";
  return path.includes("enerateContent") ? "generateContent" : "chat";
}

const answerOf: Readonly<Record<TextWire, (reported: Required<Reported>) => object>> = {
  chat: ({ text, input, output }) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: 5 },
  }),
  responses: ({ text, input, output }) => ({
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: { input_tokens: input, output_tokens: output, total_tokens: 5 },
  }),
  messages: ({ text, input, output }) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  generateContent: ({ text, input, output }) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: 5 },
    modelVersion: "m",
  }),
};

/** Creates a vendor's complete answer. */
export function textAnswer(wire: TextWire, { text = "Hi", input = 3, output = 2 }: Reported = {}): object {
  return answerOf[wire]({ text, input, output });
}

/** Vendor that answers every text call correctly. */
export const honestText: Handler = (request, response) => json(response, textAnswer(wireOfRequest(request)));

/** Creates a vendor that answers with one vector and reports this number of tokens. */
export const vectors =
  (tokens: number): Handler =>
  (_, response) =>
    json(response, {
      object: "list",
      model: "m",
      data: [{ object: "embedding", index: 0, embedding: [0.1] }],
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });

/** Vendor that returns one image. */
export const picture: Handler = (_, response) => json(response, { created: 1, data: [{ b64_json: "aGVsbG8=" }] });

/** Vendor that returns speech. */
export const sound: Handler = (_, response) =>
  void response.writeHead(200, { "content-type": "audio/mpeg" }).end("ID3");
