import { GoogleGenAI, Type, type FunctionDeclaration } from "@google/genai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { googleClient, openLive, textConfig } from "../../services/realtime/test/live-client.ts";
import { channel, config as baseConfig, keys } from "./suite-client.ts";
import { booksAgree } from "./realtime-client.ts";

const price = { input: 3, cachedInput: 1, output: 12, inputAudio: 20, outputAudio: 50 };
const vertexAddress = "${SIMULATOR_URL}/at/vtx/vertex/v1/projects/p/locations/us-central1";
const gemini = { provider: "gemini", baseUrl: "${SIMULATOR_URL}/at/gem/gemini" };
const vertex = { provider: "vertex", baseUrl: vertexAddress, keys: ["ya29.simulated"] };

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: {
      ...baseConfig,
      models: {
        ...baseConfig.models,
        ...Object.fromEntries(["gem", "gpt", "vtx"].map((name) => [name, { kind: "realtime", price }])),
      },
      channels: [
        ...baseConfig.channels,
        channel("gpt", { gpt: "gpt-realtime" }),
        channel("gem", { gem: "gemini-live-1" }, gemini),
        channel("vtx", { vtx: "gemini-live-1" }, vertex),
      ],
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const weather: FunctionDeclaration = {
  name: "weather",
  description: "Says what the weather is.",
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
};

test.each(["gem", "gpt", "vtx"])("%s answers with text and calls", async (model) => {
  const settings = { ...textConfig, systemInstruction: "Be kind.", tools: [{ functionDeclarations: [weather] }] };
  const live = await openLive(googleClient(suite.edgeUrl, keys.demo), model, settings);
  live.session.sendClientContent({ turns: "Hello" });
  expect((await live.turn()).text).toBe("You said: Hello");
  live.session.sendClientContent({ turns: 'call weather {"city":"Rome"}' });
  const { toolCall } = await live.next((message) => message.toolCall !== undefined);
  const [call] = toolCall?.functionCalls ?? [];
  expect(call?.name).toBe("weather");
  live.session.sendToolResponse({
    functionResponses: [{ id: call?.id ?? "", name: "weather", response: { output: "sunny" } }],
  });
  expect((await live.turn()).text).toContain("sunny");
  live.session.close();
  await booksAgree(suite, "demo");
});

test("Google's SDK connects in its mode for Vertex, and with the newest version of the path", async () => {
  const headers = { authorization: `Bearer ${keys.demo}` };
  const baseUrl = suite.edgeUrl;
  for (const client of [
    new GoogleGenAI({ vertexai: true, apiKey: keys.demo, httpOptions: { baseUrl, headers } }),
    new GoogleGenAI({ apiKey: keys.demo, httpOptions: { baseUrl, apiVersion: "v1alpha" } }),
  ]) {
    const live = await openLive(client, "gem", textConfig);
    live.session.sendClientContent({ turns: "Hello" });
    expect((await live.turn()).text).toBe("You said: Hello");
    live.session.close();
  }
});

test("wrong keys are refused", async () => {
  await expect(openLive(googleClient(suite.edgeUrl, keys.disabled), "gem", textConfig)).rejects.toThrow();
  await expect(openLive(googleClient(suite.edgeUrl, keys.narrow), "gem", textConfig)).rejects.toThrow(/code 10\d\d/);
});
