import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { wires as moderationWires } from "@modelgate/wires/moderation";
import { wires as rankingWires } from "@modelgate/wires/ranking";
import { wires, type PassThroughWireName } from "@modelgate/wires/text";
import { wires as vectorsWires } from "@modelgate/wires/vectors";
import { exchangeWith, type Exchange } from "@modelgate/relay";
import { UnstreamedKind } from "../../src/unstreamed-kind.ts";
import { passMode } from "../../src/exchanges/pass-through.ts";
import type { TextCall } from "../../src/exchanges/text-call.ts";
import { readForClient, callOf, exchangeOf } from "./in-memory.ts";

const turns = [{ role: "user", content: "Hello" }];
const bodies = {
  chat: { model: "m", messages: turns },
  completions: { model: "m", prompt: "Hello" },
  messages: { model: "m", max_tokens: 10, messages: turns },
  responses: { model: "m", input: "Hello" },
  content: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  interactions: { model: "m", input: "Hello" },
};
const make = (client: PassThroughWireName, vendor: PassThroughWireName, more: Partial<TextCall> = {}) =>
  exchangeOf(callOf(client, bodies[client], more), wires[vendor]);

const noSize = { textBytes: 0, mediaTokens: 0, maxOutputTokens: undefined };

/** Texts that are an answer of no wire. */
const invalidTexts = ["not JSON", '"a text"', "[]", "{}", '{"error":{"message":"no"}}', '{"choices":['];
const chatUsage = { prompt_tokens: 1, completion_tokens: 1 };
/** Invalid answers by wire. Most have valid usage, so that usage alone does not make an answer valid. */
const unusable = {
  chat: [
    { choices: "nope", usage: chatUsage },
    { choices: [], usage: chatUsage },
    { choices: ["nope"], usage: chatUsage },
    { choices: [{ message: { content: "Hi" } }], error: { message: "no" }, usage: chatUsage },
  ],
  completions: [{ choices: "nope", usage: chatUsage }],
  messages: [{ content: "nope", usage: { input_tokens: 1, output_tokens: 1 } }],
  responses: [
    { output: "nope", usage: { input_tokens: 1, output_tokens: 1 } },
    { status: "failed", output: [], error: { message: "no" }, usage: { input_tokens: 1, output_tokens: 1 } },
  ],
  content: [
    { candidates: "nope", usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } },
    { candidates: [], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } },
  ],
  interactions: [{ steps: [] }, { status: "failed", steps: [], errors: [{ message: "no" }] }],
} as const;

const pairs = (["chat", "messages", "responses", "content", "interactions", "completions"] as const).flatMap((client) =>
  (["chat", "messages", "responses", "content", "interactions"] as const).map((vendor) => [client, vendor] as const),
);

describe("an unusable complete answer fails its attempt", () => {
  test.each([...pairs, ["completions", "completions"] as const])("client %s, vendor %s", async (client, vendor) => {
    const exchange = await make(client, vendor);
    for (const text of [...invalidTexts, ...unusable[vendor].map((answer) => JSON.stringify(answer))])
      await expect(readForClient(exchange, text), text).rejects.toMatchObject({
        name: "Failure",
        code: "upstream_error",
      });
  });

  test.each([
    ["embeddings", vectorsWires.embeddings, { model: "m", input: ["a"] }, "data"],
    ["rerank", rankingWires["jina-rerank"], { model: "m", query: "q", documents: ["a"] }, "results"],
    ["moderations", moderationWires.moderations, { model: "m", input: "a" }, "results"],
  ] as const)("%s", async (_, wire, body, member) => {
    const options = { wire, wires: [], vendorOf: () => wire.vendor, measureInput: () => noSize };
    const kind = new UnstreamedKind<any, any, any>(options);
    const call = { refusesUnsupported: false, answerId: "a", inputTokens: 1, bodyBytes: 10 };
    const exchange = await exchangeWith(wire, kind.convert(wire.client.read(body, {}), call), { model: "m" });
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    const wrong = ["nope", ["nope"], [{}], undefined].map((value) => JSON.stringify({ [member]: value, usage }));
    for (const text of [...invalidTexts, ...wrong])
      await expect(readForClient(exchange, text), text).rejects.toMatchObject({
        name: "Failure",
        code: "upstream_error",
      });
  });
});

describe("a large answer of embeddings is passed unchanged only in the requested encoding", () => {
  const vectorOf = { float: [0.5, -2], base64: "AAAAPwAAAMA=" } as const;
  test.each([
    ["float", "float"],
    ["base64", "float"],
    ["float", "base64"],
    ["base64", "base64"],
    [undefined, "base64"],
    [undefined, "float"],
  ] as const)("requested %s, sent %s", async (encoding, sent) => {
    const wire = vectorsWires.embeddings;
    const options = { wire, wires: [], vendorOf: () => wire.vendor, measureInput: () => noSize };
    const kind = new UnstreamedKind<any, any, any>(options);
    const input = Array.from({ length: 2_048 }, () => "a");
    const body = { model: "m", input, ...(encoding === undefined ? {} : { encoding_format: encoding }) };
    const call = { refusesUnsupported: false, answerId: "a", inputTokens: 1, bodyBytes: 10 };
    const exchange = await exchangeWith(wire, kind.convert(wire.client.read(body, {}), call), { model: "m" });
    const data = input.map((_, index) => ({
      object: "embedding",
      index,
      embedding: vectorOf[sent],
      x: "x".repeat(999),
    }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    const answer = JSON.stringify({ object: "list", data, model: "m", usage });
    const reader = exchange.read({ headers: { "content-type": "application/json" } });
    if (reader.kind !== "complete") throw new Error("the answer is complete");
    const given = JSON.parse((await reader.read(Buffer.from(answer))).body.toString());
    const requested = encoding ?? "float";
    expect(given.data.map(({ embedding }: { embedding: unknown }) => embedding)).toEqual(
      input.map(() => vectorOf[requested]),
    );
    expect("x" in given.data[0]).toBe(requested === sent);
  });
});

test("an error of the reader fails the attempt", async () => {
  const exchange = await make("chat", "chat");
  const stumbling: Exchange = {
    ...exchange,
    read: () => ({ kind: "complete", read: () => Promise.reject(new RangeError("too deep")) }),
  };
  const failure: unknown = await readForClient(stumbling, "{}").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: "upstream_error", cause: new RangeError("too deep") });
});

describe("an answer can start with a stream", () => {
  /** Data that begins no stream. */
  const never = ["nope", "[]", '"text"', "{}", '{"error":{"message":"no"}}', '{"code":500,"message":"no"}', "[DONE]"];
  const first: Readonly<Record<PassThroughWireName, { readonly right: object; readonly wrong: readonly object[] }>> = {
    chat: {
      right: { object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "Hi" } }] },
      wrong: [{ choices: "nope" }, { choices: ["nope"] }, { object: "error", message: "no" }, { error: "no" }],
    },
    completions: {
      right: { object: "text_completion", choices: [{ index: 0, text: "Hi" }] },
      wrong: [{ choices: "nope" }, { choices: [5] }],
    },
    messages: {
      right: { type: "message_start", message: { id: "m", usage: {} } },
      wrong: [{ type: "message_start" }, { type: "message_start", message: "nope" }, { type: "error" }, { type: 5 }],
    },
    responses: {
      right: { type: "response.created", response: { id: "r", output: [] } },
      wrong: [
        { type: "response.created", response: "nope" },
        { type: "response.failed", response: {} },
        { type: "error" },
      ],
    },
    content: {
      right: { candidates: [{ content: { parts: [{ text: "Hi" }] } }] },
      wrong: [{ candidates: "nope" }, { candidates: ["nope"] }, { text: "Hi" }],
    },
    interactions: {
      right: { event_type: "interaction.created", interaction: { id: "i", status: "in_progress" } },
      wrong: [{ event_type: "interaction.created" }, { event_type: "error", error: {} }, { event_type: 5 }],
    },
  };
  const begins = async (client: PassThroughWireName, vendor: PassThroughWireName, data: string): Promise<boolean> => {
    const exchange = await make(client, vendor, { stream: true });
    const reader = exchange.read({ headers: { "content-type": "text/event-stream" } });
    if (reader.kind !== "stream") throw new Error("a stream was asked for");
    return reader.isFirstFrame({ data });
  };

  test.each([...pairs, ["completions", "completions"] as const])("client %s, vendor %s", async (client, vendor) => {
    expect(await begins(client, vendor, JSON.stringify(first[vendor].right))).toBe(true);
    for (const data of [...never, ...first[vendor].wrong.map((event) => JSON.stringify(event))])
      expect(await begins(client, vendor, data), data).toBe(false);
  });

  test("not with an answer that is not a stream", async () => {
    const exchange = await make("chat", "chat", { stream: true });
    expect(() => exchange.read({ headers: { "content-type": "application/json" } })).toThrow(Failure);
  });
});

test.each([
  [{ model: "a", stream: false, includeUsage: false }, undefined, "bytes"],
  [{ model: "a", stream: true, includeUsage: true }, undefined, "bytes"],
  [{ model: "a", stream: true, includeUsage: false }, undefined, "patched"],
  [{ model: "a", stream: false, includeUsage: true }, "b", "patched"],
] as const)("%j under another name %j passes as %s", (call, rename, mode) => {
  expect(passMode(call, rename, undefined)).toBe(mode);
});
