import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

/**
 * For its newest models, OpenAI's chat endpoint refuses tools together with reasoning; its responses endpoint accepts
 * them (openai/openai-openapi#541). After such a refusal, the gateway uses the responses endpoint for this model.
 */
let area: Area;
const models = ["chat-thinks", "chat-always", "messages-thinks", "pinned"];
const upstream: Readonly<Record<string, string>> = { "chat-always": "gpt-5.6", pinned: "gpt-5.6" };
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(models.map((name) => [name, { kind: "chat", price: { request: 0.001 } }])),
      channels: models.map((name) =>
        channel(name, { [name]: upstream[name] ?? "gpt-5.4" }, name === "pinned" ? { wires: ["chat"] } : {}),
      ),
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const pathsAt = async (id: string) =>
  (await area.simulator.requests(id)).map(({ path }) => path.slice(path.lastIndexOf("/v1/")));

const openai = () => new OpenAI({ apiKey: keys.demo, baseURL: `${area.url}/v1`, maxRetries: 0 });
const ask = (model: string, more: object = {}) =>
  openai().chat.completions.create({
    model,
    messages: [{ role: "user", content: "What is the weather in Oslo?" }],
    tools: [{ type: "function", function: { name: "weather", parameters: { ...parameters } } }],
    tool_choice: "required",
    ...more,
  });

describe("tools of a reasoning model", () => {
  test.each([
    ["chat-thinks", { reasoning_effort: "low" }],
    ["chat-always", {}],
  ])("%s: a chat client's calls are sent to the responses endpoint", async (model, more) => {
    for (let i = 0; i < 2; i++) {
      const { choices } = await ask(model, more);
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { tool_calls: [{ type: "function", function: { name: "weather" } }] },
      });
    }
    expect(await pathsAt(model)).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
  });

  test("a messages client's call is sent there too, in a stream", async () => {
    const anthropic = new Anthropic({ apiKey: keys.demo, baseURL: area.url, maxRetries: 0 });
    const stream = anthropic.messages.stream({
      model: "messages-thinks",
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      messages: [{ role: "user", content: "What is the weather in Oslo?" }],
      tools: [{ name: "weather", input_schema: { ...parameters, required: ["city"] } }],
    });
    const message = await stream.finalMessage();
    expect(message.content).toContainEqual(expect.objectContaining({ type: "text" }));
    expect(await pathsAt("messages-thinks")).toEqual(["/v1/chat/completions", "/v1/responses"]);
  });

  test("if the vendor has no other endpoint, the client gets the vendor's error", async () => {
    await expect(ask("pinned")).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("use /v1/responses"),
    });
  });
});
