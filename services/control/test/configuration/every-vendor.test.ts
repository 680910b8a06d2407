import { expect, test } from "vitest";
import { providers } from "@modelgate/providers";
import { completeConfiguration } from "../../src/configuration/complete.ts";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { resolveChannels } from "../../src/configuration/resolve.ts";
import { warningsOf } from "../../src/configuration/warnings.ts";

/** Vendors that have an address of their own: a name is all that a channel needs. */
const whole = Object.values(providers).filter(
  ({ baseUrl, keyVariable }) => baseUrl !== undefined && keyVariable !== undefined,
);
const text = (names: readonly string[]): string =>
  [
    "groups: { default: { models: ['*'] } }",
    "models: { m: { kind: chat, price: { input: 1, cachedInput: 1, output: 1 } } }",
    "channels:",
    ...names.map((name) => `  - { id: ${name}, provider: ${name}, models: [m] }`),
  ].join("\n");

/** Every variable that such a file leaves to the environment. */
const variables = Object.fromEntries(
  whole.flatMap(({ baseUrl = "", keyVariable = "" }) => [
    [keyVariable, "key|secret"],
    ...[...baseUrl.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [
      name,
      baseUrl.startsWith("$") ? "https://v.example" : "own",
    ]),
  ]),
);

test("a file with every vendor by its name alone is good, and every channel of it serves", async () => {
  const { configuration, problems } = parseConfiguration(text(whole.map(({ name }) => name)));
  expect(problems).toBeUndefined();
  if (configuration === undefined) return;
  const channels = await resolveChannels(configuration, variables);
  expect(channels.filter(({ off }) => off !== undefined)).toEqual([]);
  expect(channels.flatMap(({ baseUrl }) => (baseUrl.includes("$") ? [baseUrl] : []))).toEqual([]);
  const warnings = warningsOf(
    configuration,
    completeConfiguration(configuration, channels, { lists: new Map(), nowMs: 0 }),
  ).filter(({ say }) => !say.includes("no wire for it"));
  expect(warnings).toEqual([]);
});

test("a vendor without its variable is off, and says which; one of the operator's own is asked without a key", async () => {
  const { configuration } = parseConfiguration(text(["groq", "ollama", "databricks"]));
  const channels = configuration === undefined ? [] : await resolveChannels(configuration, {});
  expect(channels.map(({ off, keys }) => ({ off, keys }))).toEqual([
    { off: "GROQ_API_KEY is not set", keys: [] },
    { off: undefined, keys: ["none"] },
    { off: "DATABRICKS_HOST is not set; DATABRICKS_TOKEN is not set", keys: [] },
  ]);
});

test.each([
  ["azure", "channels[0].baseUrl", "is missing: azure has none of its own"],
  ["absent", "channels[0].provider", "is not a known vendor"],
])("%s alone is not a channel", (name, path, say) => {
  const { problems = [] } = parseConfiguration(text([name]));
  expect(problems).toContainEqual({ path, say: expect.stringContaining(say) });
});
