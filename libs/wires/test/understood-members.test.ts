import { expect, test } from "vitest";
import { openApi, type BodyName } from "@modelgate/contracts";
import { isRecord } from "@modelgate/formats/json";
import { readImageBody } from "../src/images/index.ts";
import { wires as rankingWires } from "../src/ranking/index.ts";
import { wires } from "../src/text/index.ts";
import { wires as vectorsWires } from "../src/vectors/index.ts";
import { wires as videoWires } from "../src/video/index.ts";

const document = JSON.parse(JSON.stringify(openApi()));
const user = [{ role: "user", content: "a" }];
const contents = [{ role: "user", parts: [{ text: "a" }] }];

/** Schemas of request bodies, each with a valid body and its parser. */
const readers: readonly (readonly [BodyName, object, (body: any) => unknown])[] = [
  ["ChatRequest", { model: "m", messages: user, logprobs: true }, (body) => wires.chat.client.read(body)],
  ["ResponsesRequest", { model: "m", input: "a" }, (body) => wires.responses.client.read(body)],
  ["MessagesRequest", { model: "m", max_tokens: 1, messages: user }, (body) => wires.messages.client.read(body)],
  ["CompletionsRequest", { model: "m", prompt: "a" }, (body) => wires.completions.client.read(body)],
  ["GenerateContentRequest", { contents }, (body) => wires.content.client.read(body, { model: "m", stream: false })],
  ["InteractionRequest", { model: "m", input: "a" }, (body) => wires.interactions.client.read(body)],
  ["EmbeddingsRequest", { model: "m", input: "a" }, (body) => vectorsWires.embeddings.client.read(body, {})],
  ["CohereEmbedRequest", { model: "m", texts: ["a"] }, vectorsWires["cohere-embeddings"].client.read],
  [
    "OllamaChatRequest",
    { model: "m", messages: user, logprobs: true },
    (body) => wires["ollama-chat"].client.read(body, {}),
  ],
  [
    "OllamaGenerateRequest",
    { model: "m", prompt: "a", logprobs: true },
    (body) => wires["ollama-generate"].client.read(body, {}),
  ],
  ["OllamaEmbedRequest", { model: "m", input: "a" }, vectorsWires["ollama-embed"].client.read],
  [
    "EmbedContentRequest",
    { content: contents[0] },
    (body) => vectorsWires["embed-content"].client.read(body, { model: "m" }),
  ],
  ["RerankRequest", { model: "m", query: "a", documents: ["a"] }, rankingWires["jina-rerank"].client.read],
  ["RerankRequest", { model: "m", query: "a", documents: ["a"] }, rankingWires["cohere-rerank"].client.read],
  ["ImageRequest", { model: "m", prompt: "a" }, readImageBody],
  ["VideoRequest", { model: "m", prompt: "a" }, (body) => videoWires["video-generations"].client.read(body)],
  ["VideoForm", { model: "m", prompt: "a" }, (body) => videoWires.videos.client.read(body)],
  ["EpsilonRequest", { req_key: "m", prompt: "a" }, (body) => videoWires["jimeng-video"].client.read(body)],
];

/** Members that are read only to refuse them. */
const refusedMembers = ["images", "inputs"];

test.each(readers)("/openapi.json describes every member of %s that its wire reads", (name, body, read) => {
  const names = new Set<string>();
  const watched = new Proxy(body, {
    get(target, member) {
      if (typeof member === "string") names.add(member);
      return Reflect.get(target, member);
    },
  });
  read(watched);
  expect(names.size).toBeGreaterThan(1);
  const described: unknown = document.components.schemas[name].properties;
  if (!isRecord(described)) throw new Error(`${name} is not described`);
  const lacking = [...names].filter((member) => !Object.hasOwn(described, member));
  expect(lacking.filter((member) => name !== "CohereEmbedRequest" || !refusedMembers.includes(member))).toEqual([]);
});
