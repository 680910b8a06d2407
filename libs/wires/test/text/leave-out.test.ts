import { expect, test } from "vitest";
import { pathBefore, wires, withoutUnpriced } from "../../src/text/index.ts";

type Wire = "chat" | "responses" | "messages" | "content";

function reduced(wire: Wire, body: object) {
  const feesOfBody = wires[wire].vendor.requestedFees(JSON.parse(JSON.stringify(body)));
  if (feesOfBody === undefined) throw new Error("the request asks only for tokens");
  const remaining = withoutUnpriced(
    Buffer.from(JSON.stringify(body)),
    feesOfBody,
    ({ unit, costsOnlyTokens }) => costsOnlyTokens === true || unit === "codeInterpreters",
    ({ name }) => name === "flex",
  );
  return remaining && { ...remaining, body: JSON.parse(remaining.body.toString()) };
}

const fn = { type: "function", name: "f" };
const cases: readonly (readonly [Wire, object, object, readonly string[]])[] = [
  ["responses", { input: "x", tools: [{ type: "web_search" }, fn] }, { input: "x", tools: [fn] }, ["tools[0]"]],
  [
    "responses",
    { input: "x", tools: [fn, { type: "web_search" }], tool_choice: "required" },
    { input: "x", tools: [fn], tool_choice: "required" },
    ["tools[1]"],
  ],
  [
    "responses",
    { input: "x", tools: [{ type: "web_search" }], tool_choice: "auto", parallel_tool_calls: false },
    { input: "x" },
    ["tools[0]"],
  ],
  ["responses", { input: "x", tools: [fn], service_tier: "priority" }, { input: "x", tools: [fn] }, ["service_tier"]],
  ["chat", { messages: [], web_search_options: {} }, { messages: [] }, ["web_search_options"]],
  [
    "messages",
    { messages: [], tools: [{ type: "web_search_20250305", name: "web_search" }, { name: "mine" }] },
    { messages: [], tools: [{ name: "mine" }] },
    ["tools[0]"],
  ],
  [
    "content",
    { contents: [], tools: [{ googleSearch: {}, codeExecution: {} }, { googleSearch: {} }] },
    { contents: [], tools: [{ codeExecution: {} }] },
    ["tools[0].googleSearch", "tools[1].googleSearch"],
  ],
];

test.each(cases)("%s %j: a tool without a price is removed and named", (wire, body, reducedBody, dropped) => {
  expect(reduced(wire, body)).toMatchObject({ body: reducedBody, dropped });
  expect(reduced(wire, body)?.body).toEqual(reducedBody);
});

test("a tool with a price stays", () => {
  const tools = [{ type: "code_interpreter" }, { type: "web_search" }];
  expect(reduced("responses", { tools, service_tier: "flex" })).toMatchObject({
    body: { tools: [{ type: "code_interpreter" }], service_tier: "flex" },
    fees: { tools: [{ unit: "codeInterpreters" }], tiers: [{ name: "flex" }] },
  });
});

test.each<[Wire, object]>([
  ["responses", { tools: [{ type: "web_search" }, fn], tool_choice: { type: "web_search" } }],
  ["responses", { tools: [{ type: "web_search" }], tool_choice: "required" }],
  ["messages", { tools: [{ type: "web_search_20250305", name: "web_search" }], tool_choice: { type: "any" } }],
  [
    "messages",
    {
      tools: [{ type: "web_search_20250305", name: "web_search" }, { name: "mine" }],
      tool_choice: { type: "tool", name: "web_search" },
    },
  ],
])("%s %j: a required tool is not removed", (wire, body) => {
  expect(reduced(wire, body)).toBeUndefined();
});

test("every other byte is unchanged", () => {
  const body = '{ "seed": 12345678901234567890,\n "service_tier": "priority" , "input": "\\u00e4" }';
  const tierFees = wires.responses.vendor.requestedFees({ service_tier: "priority" });
  const remaining =
    tierFees &&
    withoutUnpriced(
      Buffer.from(body),
      tierFees,
      () => true,
      () => false,
    );
  expect(remaining?.body.toString()).toBe('{ "seed": 12345678901234567890,\n "input": "\\u00e4" }');
});

test("a region that the client requires is not removed", () => {
  expect(reduced("messages", { inference_geo: "us" })).toBeUndefined();
});

test.each([
  ["tools[1]", ["tools[0]"], "tools[2]"],
  ["tools[0]", ["tools[2]", "tools[0]", "tools[1]"], "tools[3]"],
  ["tools[0]", ["tools[1]", "tools[10]"], "tools[0]"],
  ["temperature", ["tools[0]"], "temperature"],
])("%s of a body without %j is the client's %s", (path, removed, ofClient) => {
  expect(pathBefore(path, removed)).toBe(ofClient);
});
