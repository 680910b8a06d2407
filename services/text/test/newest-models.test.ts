import { afterAll, beforeAll, expect, test } from "vitest";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

/** The newest models refuse parameters that older models accept. The simulator refuses them as the vendors do. */
let area: Area;
const upstream = {
  anthropic: ["claude-opus-4-8", "claude-sonnet-5", "claude-opus-5-5"],
  openai: ["gpt-5.6", "gpt-6-astra", "gpt-6.2-sol"],
} as const;
const models = [...upstream.anthropic, ...upstream.openai];
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(models.map((name) => [name, { kind: "chat", price: { request: 0.001 } }])),
      channels: [
        channel("messages", [...upstream.anthropic], {
          provider: "anthropic",
          baseUrl: "${SIMULATOR_URL}/at/messages/anthropic",
        }),
        channel("responses", [...upstream.openai]),
      ],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const parameters = { type: "object", properties: {} } as const;
const messages = [{ role: "user", content: "Hi" }];

/** Requests of clients that do not consider the rules of these models. */
const clients: Readonly<Record<string, readonly [path: string, body: object, named: readonly string[]]>> = {
  chat: [
    "/v1/chat/completions",
    {
      messages,
      temperature: 0.2,
      reasoning_effort: "minimal",
      tools: [{ type: "function", function: { name: "f", parameters } }],
    },
    ["temperature"],
  ],
  responses: [
    "/v1/responses",
    { input: "Hi", top_p: 0.3, reasoning: { effort: "minimal" }, instructions: "Be brief." },
    ["top_p"],
  ],
  messages: [
    "/v1/messages",
    { messages, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 }, temperature: 1, top_k: 3 },
    ["top_k"],
  ],
};

test.each(models.flatMap((model) => Object.keys(clients).map((client) => [model, client] as const)))(
  "%s answers a client of %s, and dropped fields are named",
  async (model, client) => {
    const [path = "", body, named = []] = clients[client] ?? [];
    const answer = await fetch(`${area.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keys.demo}`,
        "content-type": "application/json",
        "anthropic-version": "2026-10-21",
      },
      body: JSON.stringify({ model, ...body }),
    });
    expect({ status: answer.status, text: answer.ok ? "" : await answer.text() }).toEqual({ status: 200, text: "" });
    const dropped = (answer.headers.get("x-modelgate-dropped") ?? "").split(", ");
    expect(dropped).toEqual(expect.arrayContaining([...named]));
  },
);
