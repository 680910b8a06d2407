import { expect, test } from "vitest";
import { parseConfiguration } from "./read.ts";
import { resolveChannels } from "./resolve.ts";
import { warningsOf } from "./warnings.ts";

const text = `
groups: { default: { models: ["*"] } }
models: { draw: { kind: image, price: { image: 1 } } }
channels: [{ id: main, provider: openai, baseUrl: "https://vendor.example", keys: ["env:ONE", "env:TWO"], models: [draw] }]
`;

test.each([
  [{ ONE: "a", TWO: "b" }, []],
  [{ ONE: "a" }, [{ path: "channels[0].keys", say: "1 of 2 are set" }]],
  [
    {},
    [
      { path: "channels[0]", say: "is off: ONE is not set; TWO is not set" },
      { path: "models.draw", say: "has no channel that is on: nobody can call it" },
    ],
  ],
])("with %j set, %j is told", async (names, warnings) => {
  const { configuration } = parseConfiguration(text);
  if (configuration === undefined) throw new Error("the configuration is wrong");
  expect(warningsOf(configuration, await resolveChannels(configuration, names))).toEqual(warnings);
});

test("a price that only resolutions have is told: what says no resolution would be free", async () => {
  const { configuration } = parseConfiguration(
    text.replace("image, price: { image: 1 }", "video, price: { request: 1, resolutions: { 720p: { second: 1 } } }"),
  );
  if (configuration === undefined) throw new Error("the configuration is wrong");
  const warnings = warningsOf(configuration, await resolveChannels(configuration, { ONE: "a", TWO: "b" }));
  expect(warnings.map(({ path }) => path)).toEqual(["models.draw.price.second"]);
});
