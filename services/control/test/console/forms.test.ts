import { join } from "node:path";
import { describe, expect, test } from "vitest";

const parts = join(import.meta.dirname, "../../../console/src/parts");

type Draft = Readonly<Record<string, string>>;
/** Functions of the console's forms, imported by path because the console is bundled separately. */
const {
  makePartDraft,
  partFromDraft,
  problemPathPrefix,
  isPathWithin,
}: {
  readonly makePartDraft: (part: unknown, fields: readonly object[]) => Draft;
  readonly partFromDraft: (draft: Draft, fields: readonly object[]) => object | undefined;
  readonly problemPathPrefix: (section: string, name: string, channels: readonly unknown[]) => string;
  readonly isPathWithin: (path: string, field: string) => boolean;
} = await import(join(parts, "part-draft.ts"));
const { partFields }: { readonly partFields: Readonly<Record<"models" | "groups" | "channels", readonly object[]>> } =
  await import(join(parts, "part-fields.ts"));
const { csvCell }: { readonly csvCell: (text: string) => string } = await import(join(parts, "csv.ts"));
const { vendorChange }: { readonly vendorChange: (adding: object) => object } = await import(
  join(parts, "vendor-change.ts")
);

describe("a form", () => {
  const channel = {
    id: "mine",
    provider: "openai",
    keys: ["kept:1"],
    models: { formed: "demo-chat" },
    weight: 2,
    headers: { "x-team": "env:TEAM" },
    force: { store: false },
    retries: { maxAttempts: 2 },
  };

  test("shows each member in its field, and the others as JSON", () => {
    const draft = makePartDraft(channel, partFields.channels);
    expect(draft).toMatchObject({ provider: "openai", keys: "kept:1", models: "formed = demo-chat", weight: "2" });
    expect(draft).toMatchObject({ headers: "x-team: env:TEAM", force: '{\n  "store": false\n}', defaults: "" });
    expect(JSON.parse(draft["rest"] ?? "")).toEqual({ retries: { maxAttempts: 2 } });
  });

  test("returns what it showed, except the id, which is its name", () => {
    const { id: _, ...members } = channel;
    expect(partFromDraft(makePartDraft(channel, partFields.channels), partFields.channels)).toEqual(members);
  });

  test.each<["models" | "groups" | "channels", Draft, object | undefined]>([
    ["channels", { models: "formed = demo-chat" }, { models: { formed: "demo-chat" } }],
    ["channels", { models: "a, b" }, { models: ["a", "b"] }],
    ["channels", { models: "*" }, { models: "*" }],
    ["channels", { keys: "kept:1", newKey: "sk-2" }, { keys: ["kept:1", "sk-2"] }],
    ["channels", { weight: "-1" }, { weight: -1 }],
    ["models", { "price.input": "dear" }, { price: { input: "dear" } }],
    [
      "models",
      { "price.input": "2.5", rest: '{"price":{"serviceTiers":{"flex":0.5}}}' },
      { price: { serviceTiers: { flex: 0.5 }, input: 2.5 } },
    ],
    ["models", { rest: "{" }, undefined],
    [
      "channels",
      { headers: "x-team: search\nx-url: https://a.example:8443", defaults: '{"user":"x"}', force: '{"store":false}' },
      {
        headers: { "x-team": "search", "x-url": "https://a.example:8443" },
        defaults: { user: "x" },
        force: { store: false },
      },
    ],
    ["channels", { force: "[1]" }, undefined],
    [
      "groups",
      { models: "formed", multiplier: "0.5", showChannel: "true" },
      { models: ["formed"], multiplier: 0.5, showChannel: true },
    ],
  ])("of %s with %j returns %j", (section, draft, part) => {
    expect(partFromDraft(draft, partFields[section])).toEqual(part);
  });

  test("shows a small price without an exponent", () => {
    const draft = makePartDraft({ price: { character: 6e-7 } }, partFields.models);
    expect(draft["price.character"]).toBe("0.0000006");
    expect(partFromDraft(draft, partFields.models)).toEqual({ price: { character: 6e-7 } });
  });

  test("finds the field of a problem", () => {
    expect(problemPathPrefix("models", "fresh", [])).toBe("models.fresh.");
    expect(problemPathPrefix("models", "7", [])).toBe("models[7].");
    expect([
      problemPathPrefix("channels", "b", [{ id: "a" }, { id: "b" }]),
      problemPathPrefix("channels", "new", [{}]),
    ]).toEqual(["channels[1].", "channels[1]."]);
    expect([
      isPathWithin("price.input", "price.input"),
      isPathWithin("keys[0]", "keys"),
      isPathWithin("keysOf", "keys"),
    ]).toEqual([true, true, false]);
  });
});

test.each([
  ["=1+1", "'=1+1"],
  ["-5.00", "-5.00"],
  ["-cmd", "'-cmd"],
  ["@SUM", "'@SUM"],
  ['a "b", c', '"a ""b"", c"'],
  ["<img src=x>", "<img src=x>"],
])("a table's cell %s is saved as %s", (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test("an added vendor consists of its new models and a channel with an unused name in the shown configuration", () => {
  const model = { id: "demo-chat", kind: "chat", price: { input: 1, output: 2, image: 3 }, contextTokens: null };
  const change = vendorChange({
    vendor: { name: "openai", title: "OpenAI", provider: "openai" },
    baseUrl: "https://vendor.example/v1",
    key: " sk-1 ",
    chosen: [
      { model, input: "2.50", output: "dear" },
      { model: { ...model, id: "cleared" }, input: "", output: " " },
      { model: { ...model, id: "known" }, input: "", output: "" },
    ],
    before: { version: 7, models: { known: {} }, channels: [{ id: "openai" }, { id: "openai-2" }] },
  });
  expect(change).toEqual({
    basedOn: 7,
    note: "OpenAI added",
    edits: [
      {
        section: "models",
        name: "demo-chat",
        value: { kind: "chat", ownedBy: "openai", price: { input: 2.5, output: "dear", image: 3 } },
      },
      { section: "models", name: "cleared", value: { kind: "chat", ownedBy: "openai", price: { image: 3 } } },
      {
        section: "channels",
        name: "openai-3",
        value: {
          id: "openai-3",
          provider: "openai",
          baseUrl: "https://vendor.example/v1",
          keys: ["sk-1"],
          models: ["demo-chat", "cleared", "known"],
        },
      },
    ],
  });
});
