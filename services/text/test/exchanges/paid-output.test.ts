import { describe, expect, test } from "vitest";
import { textWireNames } from "@modelgate/contracts";
import { textWire } from "@modelgate/wires/text";
import type { TextCall } from "../../src/exchanges/text-call.ts";
import { TextExchangeFactory } from "../../src/exchanges/text.ts";

/** Requests of each client wire without an output limit that its vendors read. */
const bodies = {
  chat: { model: "m", messages: [{ role: "user", content: "Hello" }], max_tokens: null, max_new_tokens: 9_000 },
  completions: { model: "m", prompt: "Hello" },
  responses: { model: "m", input: "Hello" },
  content: { contents: [{ role: "user", parts: [{ text: "Hello" }] }], generationConfig: { temperature: 1 } },
  "ollama-chat": { model: "m", messages: [{ role: "user", content: "Hello" }] },
} as const;

const callOf = (wire: keyof typeof bodies, body: object = bodies[wire]): TextCall => ({
  wire,
  body: Buffer.from(JSON.stringify(body)),
  model: "m",
  stream: false,
  includeUsage: false,
  choices: 1,
  outputLimitNames: wire === "chat" ? ["max_new_tokens"] : [],
  refusesUnsupported: false,
  defaultMaxTokens: 10,
  paidOutputTokens: wire === "completions" ? 16 : 300,
  answerId: "answer-1",
  inputTokens: 1,
});

async function bodyOf(call: TextCall, wire: string, model = "m"): Promise<object> {
  const { body } = await new TextExchangeFactory(call).make(textWire(wire), model);
  if (!Buffer.isBuffer(body)) throw new Error("a text call is sent as bytes");
  return JSON.parse(body.toString());
}

describe("the output limit that the balance covers is sent to a vendor of the client's wire", () => {
  test.each([
    ["chat", "m", { max_tokens: 300 }],
    ["chat", "gpt-5", { max_completion_tokens: 300 }],
    ["completions", "m", { max_tokens: 16 }],
    ["responses", "m", { max_output_tokens: 300 }],
    ["content", "m", { generationConfig: { temperature: 1, maxOutputTokens: 300 } }],
  ] as const)("%s of %s", async (wire, model, bound) => {
    const body = await bodyOf(callOf(wire), wire, model);
    expect(body).toMatchObject(bound);
    expect(body).not.toHaveProperty("max_new_tokens");
  });

  test.each([
    [
      { generation_config: { max_output_tokens: null, topK: 1 } },
      { generation_config: { topK: 1, maxOutputTokens: 300 } },
    ],
    [{ generationConfig: null }, { generationConfig: { maxOutputTokens: 300 } }],
    [{}, { generationConfig: { maxOutputTokens: 300 } }],
  ])("content with %j", async (config, sent) => {
    const { contents } = bodies.content;
    expect(await bodyOf(callOf("content", { contents, ...config }), "content")).toEqual({ contents, ...sent });
  });
});

const vendors = textWireNames.filter((name) => textWire(name).vendor !== undefined);

test.each(["chat", "completions", "responses", "content", "ollama-chat"] as const)(
  "the output limit that the balance covers is sent to vendors of all other wires: %s",
  async (wire) => {
    expect(vendors.length).toBeGreaterThan(3);
    const bound = wire === "completions" ? /[tT]okens":16\b/ : /[tT]okens":300\b/;
    for (const vendor of vendors.filter((name) => name !== wire))
      expect(JSON.stringify(await bodyOf(callOf(wire), vendor)), vendor).toMatch(bound);
  },
);
