import { describe, expect, test } from "vitest";
import { textWire } from "@modelgate/wires/text";
import { callOf, exchangeOf, sentBody } from "./in-memory.ts";

const clients = ["chat", "responses", "messages", "content"] as const;
type Wire = (typeof clients)[number];

const turns = [{ role: "user", content: "hi" }];
const hello: Readonly<Record<Wire, object>> = {
  chat: { model: "m", messages: turns },
  responses: { model: "m", input: "hi" },
  messages: { model: "m", max_tokens: 50, messages: turns },
  content: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};
const tool = { name: "f", parameters: { type: "object" } };

interface Member {
  readonly client: Wire;
  readonly more: object;
  readonly word: string;
  /** Wires of vendors that cannot express the member. */
  readonly lostBy: readonly Wire[];
}

const hints: readonly Member[] = [
  { client: "chat", more: { seed: 7 }, word: "seed", lostBy: ["responses", "messages"] },
  {
    client: "chat",
    more: { tools: [{ type: "function", function: tool }], parallel_tool_calls: false },
    word: "parallel_tool_calls",
    lostBy: ["content"],
  },
  {
    client: "responses",
    more: { metadata: { team: "a" } },
    word: "metadata",
    lostBy: ["chat", "messages", "content"],
  },
  {
    client: "responses",
    more: { tools: [{ type: "function", ...tool }], parallel_tool_calls: false },
    word: "parallel_tool_calls",
    lostBy: ["content"],
  },
  { client: "messages", more: { top_k: 7 }, word: "top_k", lostBy: ["chat", "responses"] },
  {
    client: "messages",
    more: {
      tools: [{ name: "f", input_schema: tool.parameters }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
    word: "tool_choice.disable_parallel_tool_use",
    lostBy: ["content"],
  },
  {
    client: "content",
    more: { generationConfig: { seed: 7 } },
    word: "generationConfig.seed",
    lostBy: ["responses", "messages"],
  },
  // The member requests the default, so that nothing is lost.
  {
    client: "content",
    more: { generationConfig: { responseModalities: ["TEXT"] } },
    word: "generationConfig.responseModalities",
    lostBy: [],
  },
];

/** Members whose loss would change the meaning of the request, so that the request is refused. */
const demands: readonly Member[] = [
  { client: "chat", more: { stop: ["|"] }, word: "stop", lostBy: ["responses"] },
  { client: "chat", more: { n: 2 }, word: "n", lostBy: ["responses", "messages"] },
  { client: "responses", more: { temperature: 1.5 }, word: "temperature", lostBy: ["messages"] },
  { client: "messages", more: { stop_sequences: ["|"] }, word: "stop_sequences", lostBy: ["responses"] },
  {
    client: "content",
    more: { generationConfig: { stopSequences: ["|"] } },
    word: "generationConfig.stopSequences",
    lostBy: ["responses"],
  },
  {
    client: "content",
    more: { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } },
    word: "generationConfig.responseModalities",
    lostBy: ["messages"],
  },
];

const overEveryVendor = (members: readonly Member[]) =>
  members.flatMap((member) => clients.map((vendor) => ({ ...member, vendor, lost: member.lostBy.includes(vendor) })));

/** Vendor's model on each wire. Some rules about accepted members depend on the model. */
const models = { chat: "gpt-5.1", responses: "gpt-5.1", messages: "claude-sonnet-4-5", content: "gemini-3-flash" };

const make = ({ client, more }: Member, vendor: Wire, refusesUnsupported: boolean) =>
  exchangeOf(callOf(client, { ...hello[client], ...more }, { refusesUnsupported }), textWire(vendor), models[vendor]);

describe.each(overEveryVendor(hints))("$word of $client at a vendor of $vendor", ({ vendor, lost, ...member }) => {
  test("is dropped and named, or is sent", async () => {
    expect((await make(member, vendor, false)).dropped).toEqual(lost ? [member.word] : []);
  });

  test(`is ${lost ? "refused" : "no matter"} in strict mode`, async () => {
    const exchange = make(member, vendor, true);
    if (!lost) return expect((await exchange).dropped).toEqual([]);
    await expect(exchange).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: member.word,
      message: expect.stringContaining(member.word),
    });
  });
});

test.each(overEveryVendor(demands))(
  "$word of $client is refused at a vendor of $vendor: $lost",
  async ({ vendor, lost, ...member }) => {
    const exchange = make(member, vendor, false);
    if (!lost) return expect((await exchange).dropped).toEqual([]);
    await expect(exchange).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: member.word,
      message: expect.stringContaining(member.word),
    });
  },
);

test("sampling settings that recent models of Claude refuse are removed, and the rest of the body is passed", async () => {
  const settings = { temperature: 0.2, top_p: 1, top_k: null };
  const own = { ...hello.messages, container: "c", context_management: { edits: [] } };
  const body = { ...own, ...settings };
  const passed = async (model: string, more = {}) =>
    exchangeOf(callOf("messages", body, more), textWire("messages"), model);
  const exchange = await passed("claude-opus-4-8");
  expect(JSON.parse(sentBody(exchange))).toEqual({ ...own, model: "claude-opus-4-8" });
  expect(exchange.dropped).toEqual(["temperature"]);
  await expect(passed("claude-opus-4-8", { refusesUnsupported: true })).rejects.toMatchObject({ param: "temperature" });
  expect(JSON.parse(sentBody(await passed("claude-sonnet-4-5")))).toEqual({ ...body, model: "claude-sonnet-4-5" });
});

test.each(clients)("headers that only vendors of the client's wire support are named for %s", async (vendor) => {
  const call = callOf("messages", hello.messages, { ownHeaders: ["anthropic-beta"] });
  const { dropped } = await exchangeOf(call, textWire(vendor));
  expect(dropped).toEqual(vendor === "messages" ? [] : ["anthropic-beta"]);
});
