import { expect, test } from "vitest";
import { stringify } from "yaml";
import { parseConfiguration } from "../../src/configuration/read.ts";

const ten = (name: string) => `[${Array.from({ length: 10 }, () => name).join(", ")}]`;

test.each([
  ["an alias without an anchor", "models: { chat: *absent }", /absent/],
  [
    "aliases that expand exponentially",
    `a: &a ${ten("1")}\nb: &b ${ten("*a")}\nc: &c ${ten("*b")}\nd: ${ten("*c")}`,
    /alias/i,
  ],
  ["text that is not YAML", "models: [", /flow/i],
  ["a duplicate key", "models: {}\nmodels: {}", /unique/i],
  ["nothing", "", /object/],
])("%s is reported as a problem", (_, text, message) => {
  const { configuration, problems = [] } = parseConfiguration(text);
  expect(configuration).toBeUndefined();
  expect(problems.map((problem) => problem.message).join("\n")).toMatch(message);
});

const channelOf = (provider: string, more: object): string =>
  stringify({
    groups: {},
    models: { m: { kind: "chat" } },
    channels: [{ id: "c", provider, baseUrl: "https://v.example/v1", keys: ["k"], models: ["m"], ...more }],
  });

test.each([
  ["unheard-of", {}, "provider", /known: openai, /],
  ["openai", { wires: ["chat", "messages"] }, "wires[1]", /not a wire of openai: messages; allowed: chat, /],
  ["anthropic", { wires: ["chat"] }, "wires[0]", /allowed: messages, count-messages$/],
  ["openai", { baseUrl: "https://" }, "baseUrl", /is not a URL/],
  ["openai", { baseUrl: "https://v.example/v1?version=1" }, "baseUrl", /query/],
  ["azure", { baseUrl: "https://v.example/openai#v1" }, "baseUrl", /fragment/],
  ["openai", { baseUrl: "https://user:canary@v.example/v1" }, "baseUrl", /keys/],
])("settings that %s does not support are named by path: %j", (provider, more, path, message) => {
  const { problems } = parseConfiguration(channelOf(provider, more));
  expect(problems).toEqual([{ path: `channels[0].${path}`, message: expect.stringMatching(message) }]);
  expect(JSON.stringify(problems)).not.toContain("canary");
});

test("invalid vendors and addresses are reported together with the file's other problems", () => {
  const text = stringify({
    groups: {},
    models: { m: { kind: "chat" } },
    channels: [
      "none",
      { id: "a", provider: "antropic", baseUrl: "https://v.example", keys: ["k"], models: ["other"] },
      { id: "b", provider: "openai", baseUrl: "https://v.example/v1?version=1", keys: ["k"], models: ["m"] },
    ],
  });
  const paths = parseConfiguration(text).problems?.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["channels[1].provider", "channels[2].baseUrl"]));
  expect(paths?.filter((path) => path.startsWith("channels[0]"))).not.toEqual([]);
});

test.each([
  ["openai", { wires: ["video-generations"] }],
  ["azure", { baseUrl: "https://v.example/openai?api-version=2025-03-01" }],
  ["openai", { baseUrl: "${ADDRESS}/v1" }],
])("settings that %s supports are not: %j", (provider, more) => {
  expect(parseConfiguration(channelOf(provider, more)).problems).toBeUndefined();
});
