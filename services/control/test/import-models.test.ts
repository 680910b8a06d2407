import { expect, test } from "vitest";
import { parseConfiguration } from "../src/configuration/read.ts";
import { importModels } from "../src/gatectl/import-models.ts";

const text = `# ours
groups: { default: { models: ["*"] } }
models:
  old: { kind: chat, price: { input: 9 } } # by contract
channels:
  - id: groq
    provider: groq # fast
    models: [old]
  - { id: map, provider: groq, models: { mine: old } }
  - { id: all, provider: groq, models: "*" }
`;
const listedModels = [
  { name: "old", kind: "chat", price: { input: 1 }, from: "somewhere" },
  {
    name: "a/new",
    kind: "chat",
    price: { input: 0.5, output: 1 },
    contextTokens: 1_000,
    from: "catalogue 1: a/new, 2026-01-01",
  },
  { name: "strange", kind: "chat", price: null },
];

test.each([
  ["groq", ["old", "a/new"]],
  ["map", { mine: "old", "a/new": "a/new" }],
  ["all", "*"],
])("models are written for channel %s, and everything else is unchanged", (channel, served) => {
  const good = text.replace("models: { mine: old }", "models: { old: mine }");
  const imported = importModels(good, channel, listedModels);
  expect(imported).toMatchObject({ added: ["a/new"], known: ["old"], unpriced: ["strange"] });
  const { configuration, problems } = parseConfiguration(imported.text);
  expect(problems).toBeUndefined();
  expect(configuration?.models).toEqual({
    old: { kind: "chat", price: { input: 9 } },
    "a/new": { kind: "chat", price: { input: 0.5, output: 1 }, contextTokens: 1_000 },
  });
  const expected = channel === "map" ? { old: "mine", "a/new": "a/new" } : served;
  expect(configuration?.channels.find(({ id }) => id === channel)?.models).toEqual(expected);
  for (const kept of ["# ours", "# by contract", "# fast", "# catalogue 1: a/new, 2026-01-01"])
    expect(imported.text).toContain(kept);
});

test("a file that already has all models is unchanged", () => {
  expect(importModels(text, "groq", listedModels.slice(0, 1)).text).toBe(text);
});
