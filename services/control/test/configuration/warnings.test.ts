import { modelKinds } from "@modelgate/contracts";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { completeConfiguration } from "../../src/configuration/complete.ts";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { resolveChannels } from "../../src/configuration/resolve.ts";
import { warningsOf } from "../../src/configuration/warnings.ts";

const text = `
groups: { default: { models: ["*"] } }
models: { draw: { kind: image, price: { image: 1 } } }
channels: [{ id: main, provider: openai, baseUrl: "https://vendor.example", keys: ["env:ONE", "env:TWO"], models: [draw] }]
`;

test.each([
  [{ ONE: "a", TWO: "b" }, []],
  [{ ONE: "a" }, [{ path: "channels[0].keys", message: "1 of 2 are set" }]],
  [{}, [{ path: "channels[0]", message: "is off: ONE is not set; TWO is not set; until then nothing serves draw" }]],
])("with %j set, the warnings are %j", async (names, warnings) => {
  const { configuration } = parseConfiguration(text);
  if (configuration === undefined) throw new Error("the configuration is wrong");
  expect(
    warningsOf(
      configuration,
      completeConfiguration(configuration, await resolveChannels(configuration, names), { lists: new Map(), nowMs: 0 }),
    ),
  ).toEqual(warnings);
});

test("a model without any channel comes before channels that wait for a variable", async () => {
  const { configuration } = parseConfiguration(
    text.replace("models: { draw", "models: { lost: { kind: chat, price: { input: 1 } }, draw"),
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  const warnings = warningsOf(
    configuration,
    completeConfiguration(configuration, await resolveChannels(configuration, {}), { lists: new Map(), nowMs: 0 }),
  );
  expect(warnings.map(({ path }) => path)).toEqual(["models.lost", "channels[0]"]);
});

test("a price that only resolutions have causes a warning: calls without a resolution would be free", async () => {
  const { configuration } = parseConfiguration(
    text.replace("image, price: { image: 1 }", "video, price: { request: 1, resolutions: { 720p: { second: 1 } } }"),
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  const warnings = warningsOf(
    configuration,
    completeConfiguration(configuration, await resolveChannels(configuration, { ONE: "a", TWO: "b" }), {
      lists: new Map(),
      nowMs: 0,
    }),
  );
  expect(warnings.map(({ path }) => path)).toEqual(["models.draw.price.second"]);
});

/** Returns the warnings about a configuration with one model and one channel. */
async function warned(model: object, channel: object, more: object = {}) {
  const usual = { id: "c", provider: "openai", baseUrl: "https://v.example/v1", keys: ["k"], models: ["m"] };
  const { configuration } = parseConfiguration(
    stringify({
      groups: { default: { models: ["*"] } },
      models: { m: model },
      channels: [{ ...usual, ...channel }],
      ...more,
    }),
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  return warningsOf(
    configuration,
    completeConfiguration(configuration, await resolveChannels(configuration, {}), { lists: new Map(), nowMs: 0 }),
  );
}

const chat = { kind: "chat", price: { request: 1 } };

test.each<[string, object, object, string, RegExp]>([
  ["a unit of another kind", { kind: "video", price: { second: 1, input: 1 } }, {}, "models.m.price.input", /seconds/],
  [
    "a vendor without such models",
    { kind: "embedding", price: { input: 1 } },
    { provider: "anthropic", baseUrl: "https://v.example" },
    "channels[0].models[0]",
    /is for embedding/,
  ],
  [
    "a wire without such models",
    chat,
    { models: { m: "other" }, wires: ["embeddings"] },
    "channels[0].models.m",
    /is for chat/,
  ],
  [
    "a tool price for a kind without tools",
    { kind: "embedding", price: { input: 1, tools: { webSearch: 1 } } },
    {},
    "models.m.price.tools",
    /never used/,
  ],
  [
    "a cache price equal to the input price",
    { kind: "chat", price: { input: 1, output: 2 } },
    {},
    "models.m.price.cachedInput",
    /cost what input does$/,
  ],
  [
    "a duplicate address",
    chat,
    { provider: "anthropic" },
    "channels[0].baseUrl",
    /v1\/v1\/messages: leave out one \/v1$/,
  ],
])("%s causes exactly one warning", async (_, model, channel, path, message) => {
  expect(await warned(model, channel)).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test("a token with a model that its group does not have causes a warning", async () => {
  const tokens = [{ key: "sk-12345678", group: "default", models: ["m"] }];
  const accounts = { demo: { balance: "1", tokens } };
  expect(await warned(chat, {}, { accounts })).toEqual([]);
  expect(await warned(chat, {}, { accounts, groups: { default: { models: [] } } })).toEqual([
    { path: "accounts.demo.tokens[0].models[0]", message: expect.stringContaining("cannot be called") },
  ]);
});

test.each(modelKinds)("the price of a model for %s in its units causes no warning", async (kind) => {
  const price = { chat: "input", completion: "output", embedding: "input", rerank: "request", moderation: "input" };
  const others = {
    image: "image",
    video: "second",
    transcription: "second",
    speech: "character",
    realtime: "outputAudio",
  };
  const field = { ...price, ...others }[kind];
  expect(
    (await warned({ kind, price: { [field]: 1 } }, {})).filter(({ message }) => /never used|no wire/.test(message)),
  ).toEqual([]);
});
