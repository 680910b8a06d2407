import { expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { wires } from "../../src/text/index.ts";
import { vendorIdsIn } from "../../src/vendor-stores/index.ts";

const { client, pass } = wires.responses;

const text = (words: string) => [{ type: "reasoning_text", text: words }];
const reasoningItem = { type: "reasoning", id: "rs_x", summary: [], content: text("hm"), encrypted_content: null };
const summary = { type: "reasoning", id: "rs_y", summary: [{ type: "summary_text", text: "hm" }] };
const search = { type: "web_search_call", id: "ws_x", status: "completed", action: { type: "search", query: "q" } };
const interpreted = { type: "code_interpreter_call", id: "ci_x", code: "1" };
const message = { type: "message", id: "chatcmpl-1", role: "assistant", content: "Hi" };
const call = { type: "function_call", id: "item_1", call_id: "c", name: "f", arguments: "{}" };

/** Returns each id in the items, with true if the body also contains the object's content. */
function namedIn(...input: readonly object[]) {
  const ids = runToEnd(vendorIdsIn(client.stores, { model: "m", input }));
  return ids.map(({ id, isRemovable }) => [id, isRemovable === true]);
}

test.each<[string, object]>([
  ["reasoning with its text", reasoningItem],
  ["reasoning with a summary", summary],
  ["reasoning of this gateway that lost its content", { type: "reasoning", id: "rs_a1_0", summary: [] }],
  ["a web search step", search],
  ["executed code", interpreted],
  ["a message with an id in another format", message],
  ["a call with an id in another format", call],
  ["a message with a longer id than the vendor accepts", { ...message, id: `msg_${"a".repeat(61)}` }],
])("%s carries its content", (_, item) => {
  expect(namedIn(item)).toEqual([["id" in item ? item.id : undefined, true]]);
});

test.each<[string, object, string]>([
  ["reasoning without content", { type: "reasoning", id: "rs_x", summary: [], content: [] }, "rs_x"],
  ["a reference", { type: "item_reference", id: "msg_x" }, "msg_x"],
  ["a file search without results", { type: "file_search_call", id: "fs_x", queries: ["q"], results: null }, "fs_x"],
])("%s does not carry its content", (_, item, id) => {
  expect(namedIn(item)).toEqual([[id, false]]);
});

test("items that are not looked up anywhere are not named", () => {
  const signed = { ...reasoningItem, encrypted_content: "gAAA" };
  expect(
    namedIn(signed, { ...message, id: "msg_1" }, { ...call, id: "fc_1" }, { role: "user", content: "Hi" }),
  ).toEqual([]);
});

const items = [{ role: "user", content: "Hi" }, reasoningItem, search, interpreted, message, call];
const foreignItems = new Set(["rs_x", "ws_x", "ci_x", "chatcmpl-1", "item_1"]);

function fitted(model: string, foreign: ReadonlySet<string>) {
  const body = Buffer.from(JSON.stringify({ model, input: items, store: false }));
  const fit = pass.fit?.(body, { model, foreignItems: foreign });
  const { body: sent = body, dropped } = fit === undefined ? {} : runToEnd(fit);
  return { ...JSON.parse(sent.toString()), dropped };
}

test("OpenAI gets only its own ids, and no reasoning or tool step without an id", () => {
  const [{ id: _message, ...ownMessage }, { id: _call, ...ownCall }] = [message, call];
  expect(fitted("gpt-5.2", foreignItems)).toEqual({
    model: "gpt-5.2",
    input: [items[0], ownMessage, ownCall],
    store: false,
    dropped: ["turn.reasoning", "turn.search", "input.code_interpreter_call"],
  });
});

test("other vendors get the content, under ids that name nothing", () => {
  const { input, dropped } = fitted("deepseek-v4", foreignItems);
  const nameless = { id: expect.stringMatching(/^(?:rs|ws|ci)_[0-9a-f]{32}$/) };
  expect([input, dropped]).toEqual([
    [
      items[0],
      { ...reasoningItem, ...nameless },
      { ...search, ...nameless },
      { ...interpreted, ...nameless },
      message,
      call,
    ],
    [],
  ]);
  expect(fitted("deepseek-v4", foreignItems).input).toEqual(input);
});

test("the vendor's own items pass unchanged", () => {
  expect(fitted("gpt-5.2", new Set())).toEqual({ model: "gpt-5.2", input: items, store: false, dropped: [] });
});
