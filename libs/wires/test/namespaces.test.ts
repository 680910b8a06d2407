import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { wires } from "../src/text/index.ts";
import { textWireNames } from "../src/text/hub/request.ts";
import { responsesWire } from "../src/text/responses/index.ts";
import { localNames, qualifiedName } from "../src/text/responses/tools.ts";
import { contextFor, eventsOf, framesOf, oneAnswer, plain, written } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1_000 };
const parse = (body: JsonRecord) => responsesWire.client.read({ model: "m", input: "Hello", ...body });
const schema = { type: "object", properties: {} };
const member = (name: string, description?: string) => ({
  type: "function",
  name,
  ...(description === undefined ? {} : { description }),
  parameters: schema,
  strict: false,
});
/** Tools as a coding agent sends them. */
const tools = [
  member("look"),
  {
    type: "namespace",
    name: "agents",
    description: "Sub-agents.",
    tools: [member("spawn", "Begins one."), member("wait")],
  },
  { type: "namespace", name: "files", tools: [{ type: "custom", name: "patch", description: "A diff." }] },
];
const body: JsonRecord = {
  tools,
  tool_choice: { type: "function", name: "spawn", namespace: "agents" },
  input: [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Go" }] },
    { type: "function_call", call_id: "c1", name: "wait", namespace: "agents", arguments: "{}", status: "completed" },
    { type: "function_call_output", call_id: "c1", output: "done" },
  ],
};

test("tool sets, their calls and the choice of a set are kept on this wire", () => {
  const { request, dropped } = parse(body);
  expect(dropped).toEqual([]);
  const rendered = responsesWire.vendor.render(request, target);
  expect(rendered.dropped).toEqual([]);
  expect(plain(rendered.body)).toMatchObject(body);
});

test.each(textWireNames.filter((wire) => wire !== "responses"))(
  "on the %s wire each tool of a set is separate, under a name that has both parts",
  (wire) => {
    const rendered = wires[wire].vendor.render(parse(body).request, target);
    const text = JSON.stringify(rendered.body);
    for (const name of ["look", "agents__spawn", "agents__wait", "files__patch"]) expect(text).toContain(`"${name}"`);
    // The first tool of a namespace has the description of the namespace.
    expect(text).toContain("Sub-agents.\\n\\nBegins one.");
    expect(text.match(/Sub-agents/g)).toHaveLength(1);
    expect(rendered.dropped).toEqual([]);
  },
);

test("a call is returned in its set, complete and streamed", () => {
  const { request } = parse(body);
  const context = contextFor(request, body);
  const answer = oneAnswer(
    [{ kind: "tool-call", id: "c2", name: "agents__spawn", arguments: '{"a":1}' }],
    "tool-calls",
  );
  const item = { type: "function_call", call_id: "c2", name: "spawn", namespace: "agents", arguments: '{"a":1}' };
  expect(responsesWire.client.render(answer, context)["output"]).toMatchObject([item]);
  const stream = written(responsesWire.client.stream(context), answer);
  const events = framesOf(stream).map(({ data }) => JSON.parse(data));
  expect(events.find(({ type }) => type === "response.output_item.added").item).toMatchObject({
    name: "spawn",
    namespace: "agents",
  });
  expect(events.at(-1).response.output).toMatchObject([item]);
  expect(eventsOf(responsesWire.vendor.stream(), stream)).toContainEqual(
    expect.objectContaining({ opened: expect.objectContaining({ name: "agents__spawn" }) }),
  );
});

test("a set with tools other than functions and free text is sent only to the wire's own vendor", () => {
  const set = { type: "namespace", name: "odd", tools: [{ type: "mcp", server_label: "s" }] };
  const { request } = parse({ tools: [set] });
  expect(plain(responsesWire.vendor.render(request, target).body)["tools"]).toEqual([set]);
  expect(() => wires.chat.vendor.render(request, target)).toThrow("namespace");
});

test("names are valid for every vendor, and stable", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  fc.assert(
    fc.property(name, name, (namespace, own) => {
      const qualified = qualifiedName(namespace, own);
      expect(qualified).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const { request } = parse({ tools: [{ type: "namespace", name: namespace, tools: [member(own)] }] });
      expect(localNames(request.tools).get(qualified)).toEqual({ namespace, name: own });
    }),
  );
});
