import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type BedrockRuntimeClientConfig,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator();
});
afterAll(() => started[Symbol.asyncDispose]());

const nova = "amazon.nova-pro-v1:0";
const claude = "us.anthropic.claude-sonnet-4-20250514-v1:0";
const credentials = { accessKeyId: "AKIASIMULATED", secretAccessKey: "AKIASIMULATED-secret" };

function client(more: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint: `${started.url}/bedrock`,
    region: "us-east-1",
    credentials,
    maxAttempts: 1,
    // The default handler uses HTTP/2, which the simulator does not support.
    requestHandler: new NodeHttpHandler(),
    ...more,
  });
}
const user = (text: string) => ({ role: "user" as const, content: [{ text }] });
const tokenCounts = { inputTokens: 1_000, cachedTokens: 600, cacheWriteTokens: 100, outputTokens: 80 };
const tools = [{ toolSpec: { name: "weather", inputSchema: { json: { type: "object", properties: {} } } } }];

describe("the official SDK", () => {
  test("embeds with Titan, and with Cohere with the tokens in a header", async () => {
    const invoke = (modelId: string, body: object) =>
      client().send(new InvokeModelCommand({ modelId, body: JSON.stringify(body) }));
    const titan = await invoke("amazon.titan-embed-text-v2:0", { inputText: "Hello there", dimensions: 256 });
    expect(JSON.parse(titan.body.transformToString())).toMatchObject({ inputTextTokenCount: 3 });
    const texts = ["Hello there", "Hi"];
    const cohere = await invoke("cohere.embed-english-v3", {
      texts,
      input_type: "search_query",
      embedding_types: ["float"],
    });
    expect(JSON.parse(cohere.body.transformToString()).embeddings.float).toHaveLength(2);
    await expect(invoke("cohere.embed-english-v3", { texts })).rejects.toThrow(/input_type/);
  });

  test("converses", async () => {
    const messages = [user(simulate({ usage: tokenCounts, reasoning: "Hm", text: "Ah" }))];
    const { output, stopReason, usage } = await client().send(new ConverseCommand({ modelId: nova, messages }));
    expect(output?.message?.content).toMatchObject([
      { reasoningContent: { reasoningText: { text: "Hm" } } },
      { text: "Ah" },
    ]);
    expect([stopReason, usage]).toEqual([
      "end_turn",
      { inputTokens: 300, outputTokens: 80, totalTokens: 1_080, cacheReadInputTokens: 600, cacheWriteInputTokens: 100 },
    ]);
  });

  test("converses with a tool, as a stream", async () => {
    const messages = [user(simulate({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }))];
    const command = new ConverseStreamCommand({ modelId: nova, messages, toolConfig: { tools } });
    const { stream } = await client().send(command);
    const events: any[] = [];
    for await (const event of stream ?? []) events.push(event);
    const input = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta.toolUse?.input ?? "").join("");
    expect(JSON.parse(input)).toEqual({ city: "Oslo" });
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata",
    ]);
  });

  test("receives an exception in a stream", async () => {
    const messages = [user(simulate({ errorAfterChunks: 1, text: "one two three" }))];
    const { stream } = await client().send(new ConverseStreamCommand({ modelId: nova, messages }));
    const read = async () => {
      for await (const _ of stream ?? []);
    };
    await expect(read()).rejects.toMatchObject({ name: "ModelStreamErrorException" });
  });

  const body = (text: string) =>
    JSON.stringify({
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 100,
      messages: [{ role: "user", content: text }],
    });

  test("invokes Claude", async () => {
    const answer = await client().send(new InvokeModelCommand({ modelId: claude, body: body("Hi") }));
    expect(JSON.parse(Buffer.from(answer.body).toString())).toMatchObject({
      type: "message",
      content: [{ type: "text", text: "You said: Hi" }],
    });
  });

  test("invokes Claude as a stream", async () => {
    const answer = await client().send(new InvokeModelWithResponseStreamCommand({ modelId: claude, body: body("Hi") }));
    const types: unknown[] = [];
    for await (const { chunk } of answer.body ?? [])
      types.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()).type);
    expect([types[0], types.at(-1)]).toEqual(["message_start", "message_stop"]);
  });

  test.each([
    ["Amazon's", "amazon.rerank-v1:0", {}],
    ["Cohere's", "cohere.rerank-v3-5:0", { api_version: 2 }],
  ])("invokes %s rerank", async (_, modelId, more) => {
    const request = { query: "cats", documents: ["dogs", "cats"], ...more };
    const answer = await client().send(new InvokeModelCommand({ modelId, body: JSON.stringify(request) }));
    expect(JSON.parse(Buffer.from(answer.body).toString()).results[0].index).toBe(1);
  });

  test("authenticates with a Bedrock API key", async () => {
    const token = { token: "bedrock-api-key-a" };
    const bearer = client({ token, authSchemePreference: ["httpBearerAuth"] });
    const { stopReason } = await bearer.send(new ConverseCommand({ modelId: nova, messages: [user("Hi")] }));
    expect(stopReason).toBe("end_turn");
  });
});

describe("the official SDK gets an error", () => {
  test.each<[string, BedrockRuntimeClientConfig, string, RegExp]>([
    [
      "a wrong secret",
      { credentials: { ...credentials, secretAccessKey: "x" } },
      "InvalidSignatureException",
      /does not match/,
    ],
    ["another region", { region: "eu-west-1" }, "InvalidSignatureException", /valid region/],
    [
      "expired credentials",
      { credentials: { ...credentials, sessionToken: "expired-1" } },
      "ExpiredTokenException",
      /is expired/,
    ],
    [
      "a clock that is behind",
      { systemClockOffset: -3_600_000 },
      "InvalidSignatureException",
      /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z/,
    ],
    ["a clock that is ahead", { systemClockOffset: 3_600_000 }, "InvalidSignatureException", /not yet current/],
  ])("for %s", async (_, more, name, message) => {
    const answer = client(more).send(new ConverseCommand({ modelId: nova, messages: [user("Hi")] }));
    await expect(answer).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
  });

  test.each<[string, object, RegExp]>([
    [
      "results without a tool configuration",
      {
        messages: [
          user("a"),
          { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "b", input: {} } }] },
          { role: "user", content: [{ toolResult: { toolUseId: "a", content: [] } }] },
        ],
      },
      /toolConfig/,
    ],
    [
      "an empty document",
      {
        messages: [
          { role: "user", content: [{ document: { name: "a", format: "pdf", source: { bytes: Buffer.from("a") } } }] },
        ],
      },
      /text block/,
    ],
    [
      "the assistant's turn first",
      { messages: [{ role: "assistant", content: [{ text: "a" }] }] },
      /start with a user/,
    ],
    [
      "reasoning that it did not sign",
      {
        messages: [
          user("a"),
          { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "a", signature: "b" } } }] },
        ],
      },
      /signature/,
    ],
  ])("for %s", async (_, input: any, message) => {
    const sent = client().send(new ConverseCommand({ modelId: nova, ...input }));
    await expect(sent).rejects.toMatchObject({ name: "ValidationException", message: expect.stringMatching(message) });
  });
});
