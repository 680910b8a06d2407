import { expect, test } from "vitest";
import { withoutUndefined } from "@modelgate/contracts";
import { chatWireForDialect, textWire } from "@modelgate/wires/text";
import { callOf, exchangeOf, sentBody } from "./in-memory.ts";

/** Request to which the tests add members that only other vendors of the wire accept. */
const hello = { model: "mine", messages: [{ role: "user", content: "Hello" }] };

async function sentFor(wire: "chat" | "responses", body: object, model: string) {
  const exchange = await exchangeOf(callOf(wire, body), textWire(wire), model);
  const sent: Readonly<Record<string, unknown>> = JSON.parse(sentBody(exchange));
  return { sent, dropped: exchange.dropped };
}

test.each<[object, object, readonly string[]]>([
  [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, { reasoning_effort: "low" }, []],
  [{ enable_thinking: true, thinking_budget: 2_000 }, { reasoning_effort: "low" }, []],
  [{ reasoning: { effort: "high" } }, { reasoning_effort: "high" }, []],
  [{ min_p: 0.1, user: "u" }, { user: "u" }, ["min_p"]],
  [{ usage: { include: true } }, {}, []],
  [{ provider: { order: ["a"] } }, {}, ["provider"]],
  [{ safe_prompt: true }, {}, ["safe_prompt"]],
  [{ top_k: 3 }, {}, ["top_k"]],
])("%j is translated, or dropped and named", async (moreMembers, translated, dropped) => {
  const exchange = await sentFor("chat", { ...hello, ...moreMembers }, "gpt-5.2");
  expect(exchange).toMatchObject({ sent: translated, dropped });
  const notTranslated = Object.keys(moreMembers).filter((name) => !(name in translated));
  expect(Object.keys(exchange.sent).filter((name) => notTranslated.includes(name))).toEqual([]);
});

test.each<[string, object, string | undefined, readonly string[]]>([
  ["gpt-4.1", { enable_thinking: false }, undefined, []],
  ["gpt-4.1", { enable_thinking: true }, undefined, ["reasoning_effort"]],
  ["ft:gpt-4o:us::abc", { enable_thinking: false }, undefined, []],
  ["o4-mini", { enable_thinking: false }, "low", ["reasoning_effort"]],
  ["gpt-5-mini", { enable_thinking: false }, "minimal", ["reasoning_effort"]],
  ["gpt-6.2-sol", { enable_thinking: false }, "low", ["reasoning_effort"]],
])("%s does not support this setting: %j becomes the effort %s", async (model, moreMembers, effort, dropped) => {
  const sent = withoutUndefined({ ...hello, model, reasoning_effort: effort });
  expect(await sentFor("chat", { ...hello, ...moreMembers }, model)).toEqual({ sent, dropped });
  const exchange = await exchangeOf(callOf("chat", { ...hello, ...moreMembers }), textWire("responses"), model);
  expect(Object(JSON.parse(sentBody(exchange)).reasoning).effort).toBe(effort);
  expect(exchange.dropped).toEqual(dropped);
});

test("other vendors of the wire get their own members unchanged, and the wire's vendor gets unknown members", async () => {
  expect(await sentFor("chat", { ...hello, min_p: 0.1 }, "other")).toMatchObject({ sent: { min_p: 0.1 }, dropped: [] });
  const newer = { ...hello, member_of_tomorrow: 1 };
  expect(await sentFor("chat", newer, "gpt-5.2")).toMatchObject({ sent: { member_of_tomorrow: 1 }, dropped: [] });
});

const pdf = "JVBERi0xLjQK";
const pdfUrl = `data:application/pdf;base64,${pdf}`;
const readableText = { type: "text", text: "a.txt\n```\nhi\n```" };
test.each<[object, object]>([
  [
    { filename: "q3.pdf", file_data: pdf },
    { type: "file", file: { filename: "q3.pdf", file_data: pdfUrl } },
  ],
  [
    { filename: "q3.pdf", file_data: pdfUrl, later: 1 },
    { type: "file", file: { filename: "q3.pdf", file_data: pdfUrl, later: 1 } },
  ],
  [{ filename: "a.txt", file_data: "aGk=" }, readableText],
  [{ filename: "a.txt", file_data: "data:text/plain;base64,aGk=" }, readableText],
  [
    { filename: "q3.pdf", file_data: "https://a.example/q3.pdf" },
    { type: "file", file: { filename: "q3.pdf", file_data: "https://a.example/q3.pdf" } },
  ],
  [{ file_id: "file-1" }, { type: "file", file: { file_id: "file-1" } }],
])("the file %j is sent in a form that vendors of the wire accept", async (file, part) => {
  const messages = [{ role: "user", content: [{ type: "file", file }] }];
  const { sent } = await sentFor("chat", { ...hello, messages }, "gpt-5.2");
  expect(sent["messages"]).toEqual([{ role: "user", content: [part] }]);
});

test("members that only the vendor knows stay in a body whose plain files are replaced", async () => {
  const address = { type: "file", file: { filename: "q3.pdf", file_data: "https://a.example/q3.pdf" } };
  const bodyWith = (file: object) => {
    const messages = [{ role: "user", content: [address, file], later: 1 }];
    return { ...hello, messages, provider: { data_collection: "deny" }, plugins: [{ id: "file-parser" }] };
  };
  const cache_control = { type: "ephemeral" };
  const plain = bodyWith({ type: "file", file: { filename: "q3.pdf", file_data: pdf }, cache_control });
  const { sent, dropped } = await sentFor("chat", plain, "other");
  const expected = bodyWith({ type: "file", file: { filename: "q3.pdf", file_data: pdfUrl }, cache_control });
  expect(sent).toEqual({ ...expected, model: "other" });
  expect(dropped).toEqual([]);
});

test("an aggregator gets its members for a model of OpenAI too", async () => {
  const members = { provider: { data_collection: "deny", zdr: true }, reasoning: { max_tokens: 9 }, min_p: 0.1 };
  const openRouter = chatWireForDialect({ maxTokens: "max_tokens", reasoningMember: "reasoning" });
  const exchange = await exchangeOf(callOf("chat", { ...hello, ...members }), openRouter, "openai/gpt-5.4");
  expect(JSON.parse(sentBody(exchange))).toEqual({ ...hello, ...members, model: "openai/gpt-5.4" });
  expect(exchange.dropped).toEqual([]);
});

test.each<[object, readonly string[]]>([
  [{ min_p: 0.1, provider: { order: ["a"] }, thinking: { type: "enabled" } }, ["min_p", "provider", "thinking"]],
  [{ usage: { include: true } }, []],
  [{ usage: { include: false } }, []],
  [{ min_p: null }, []],
])("%j in responses is dropped for the wire's vendor, and named", async (moreMembers, dropped) => {
  const body = { model: "mine", input: "Hello", reasoning: { effort: "low" } };
  expect(await sentFor("responses", { ...body, ...moreMembers }, "gpt-5.2")).toEqual({
    sent: { ...body, model: "gpt-5.2" },
    dropped,
  });
});
