import { Ollama } from "ollama";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { clients } from "./clients/index.ts";
import { channelOf, keyOf, price, settled, startEveryVendorSuite } from "./every-vendor-suite.ts";
import { pdf, png } from "./media.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";
import type { Client, Reply, SdkError, Question } from "./question.ts";
import { ownAndOther } from "../../../services/text/test/vendors.ts";

/**
 * Every SDK with a vendor of the same wire and with one of another wire. `libs/wires/test/directions.test.ts` tests all
 * conversions.
 */
const cells = clients.flatMap((client) =>
  ownAndOther(client.wire).map((vendor) => {
    const name = `${client.name} to ${vendor.name}`;
    return { client, vendor, name, id: name.replaceAll(" ", "-") };
  }),
);

let suite: Suite;
beforeAll(async () => {
  suite = await startEveryVendorSuite({
    accounts: cells.map(({ id }) => id),
    // A broken stream begins a cooldown, so broken streams have separate channels.
    models: Object.fromEntries(cells.flatMap(({ id }) => [id, `cut-${id}`].map((name) => [name, chat]))),
    channels: cells.flatMap(({ id, vendor }) =>
      [id, `cut-${id}`].map((name) => channelOf(vendor, name, { [name]: vendor.model })),
    ),
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const chat = { kind: "chat", price };
const simulate = (behaviour: object) => ({ text: `{{simulate: ${JSON.stringify(behaviour)}}}` });
const tools = [{ name: "weather", description: "The weather in a city.", argument: "city" }];
const call = [{ text: 'call weather {"city":"Oslo"}' }];
const resultsOf = ({ calls }: Reply) => calls.map((each) => ({ call: each, output: "rain" }));
const schema = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
} as const;

async function errorOf(client: Client, pending: Promise<Reply>): Promise<SdkError> {
  let reply: Reply;
  try {
    reply = await pending;
  } catch (thrown) {
    return client.errorOf(thrown);
  }
  throw new Error(`an answer instead of an error: ${reply.text}`);
}

describe.each(cells)("$name", ({ client, vendor, id }) => {
  beforeEach(() => suite.simulator.forget(vendor.name));
  const lastBody = async (): Promise<string> => (await suite.simulator.requests(vendor.name)).at(-1)?.body ?? "";

  describe.each([
    { how: "whole", stream: false },
    { how: "streamed", stream: true },
  ])("$how", ({ stream }) => {
    const ask = (question: Partial<Question>): Promise<Reply> =>
      client.ask(suite, keyOf(id), { model: vendor.name, stream, prompt: [{ text: "Hello" }], ...question });

    test("text, billed by the vendor's usage", async () => {
      const cacheWriteTokens = vendor.wire === "content" ? 0 : 100;
      const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30, cacheWriteTokens };
      const text = 'Grüße, 世界 👋 \u0000\u2028 "quoted" \\ </script>';
      const before = await settled(suite, id);
      const reply = await ask({ system: "Be brief.", prompt: [simulate({ usage, text })] });
      expect(reply).toMatchObject({ text, reasoning: "", calls: [], finish: client.endings.stop, dropped: [] });
      expect(reply.usage).toEqual({ input: 1_000, cached: 600, output: 80, reasoning: 30 });
      expect(await lastBody()).toContain("Be brief.");
      const dollars =
        (400 - cacheWriteTokens) * price.input + cacheWriteTokens * price.cacheWrite + 600 * price.cachedInput;
      expect(before - (await settled(suite, id))).toBe(BigInt((dollars + 80 * price.output) * 1_000));
    });

    test("a call with reasoning, its result, and the answer that follows", async () => {
      const first = await ask({ prompt: call, tools, reasoning: true });
      expect(first).toMatchObject({ finish: client.endings.calls, dropped: [] });
      expect(first.calls).toMatchObject([{ name: "weather", arguments: { city: "Oslo" } }]);
      // The vendor `chat` sends no reasoning, and the client `ai openai chat` does not show it.
      const shows = vendor.name !== "chat" && client.name !== "ai openai chat";
      expect(first.reasoning.includes("Thinking about: ")).toBe(shows);
      const second = await first.follow(resultsOf(first));
      expect(second).toMatchObject({ calls: [], finish: client.endings.stop });
      expect(second.text).toContain("rain");
      if (shows) expect(await lastBody()).toContain(reasoningMarkers[vendor.name]);
    });
  });

  test("a vendor's rate limit is the SDK's error, in the format of its wire", async () => {
    await suite.simulator.script(id, [{ status: 429, repeat: true }]);
    const question = { model: id, stream: false, prompt: [{ text: "Hello" }] };
    const error = await errorOf(client, client.ask(suite, keyOf("demo"), question));
    expect(error).toMatchObject({ status: 429, className: classOf(client), body: limitedBodies[client.wire] });
  });

  test("an interrupted stream ends with an error, and the received part is charged", async () => {
    const text = "one two three four five ".repeat(10);
    await suite.simulator.script(`cut-${id}`, [{ errorAfterChunks: 20, chunks: 40, chunkDelayMs: 1, text }]);
    const before = await settled(suite, id);
    const question = { model: `cut-${id}`, stream: true, prompt: [{ text: "Hello" }] };
    await errorOf(client, client.ask(suite, keyOf(id), question));
    expect(before - (await settled(suite, id))).toBeGreaterThan(0n);
  });
});

/** `libs/wires/test/directions.test.ts` tests conversions of images, files, schemas and limits. */
const ownWays = cells
  .filter(({ client, vendor }) => client.wire === vendor.wire)
  .flatMap((cell) => [true, false].map((stream) => ({ ...cell, stream })));
describe.each(ownWays)("$name, streamed: $stream", ({ client, vendor, id, stream }) => {
  beforeEach(() => suite.simulator.forget(vendor.name));
  const lastBody = async (): Promise<string> => (await suite.simulator.requests(vendor.name)).at(-1)?.body ?? "";
  const ask = (question: Partial<Question>): Promise<Reply> =>
    client.ask(suite, keyOf(id), { model: vendor.name, stream, prompt: [{ text: "Hello" }], ...question });

  test("an image, and a PDF if the client can send one", async () => {
    // Not tested: a file in chat completions with a streamed answer.
    const files = client.wire === "chat" && stream ? [] : [{ pdf }];
    const reply = await ask({ prompt: [{ text: "Look: " }, { image: png }, ...files] });
    expect(reply.text).toMatch(/^You said: Look: \[image .*\d+ characters\]/);
    for (const data of [png, ...files.map((file) => file.pdf)]) expect(await lastBody()).toContain(data);
  });

  test("an answer by a JSON schema, and one that ends at its maximum tokens", async () => {
    expect(JSON.parse((await ask({ schema })).text)).toEqual({ city: "words", degrees: 1 });
    const cut = await ask({ maxTokens: 20, prompt: [{ text: "word ".repeat(40) }] });
    expect(cut.finish).toBe(client.endings.length);
  });
});

/** Text that a vendor's request contains if it has the reasoning of the last turn, by vendor. */
const reasoningMarkers: Readonly<Record<string, string>> = {
  "open-chat": `"reasoning_content":"Thinking about: `,
  responses: `"encrypted_content":"`,
  messages: `"signature":"`,
  content: `"thoughtSignature":"`,
};

const limitedBodies = {
  chat: { type: "rate_limit_error", code: "upstream_rate_limited" },
  responses: { type: "rate_limit_error", code: "upstream_rate_limited" },
  messages: { type: "rate_limit_error" },
  content: { code: 429, status: "RESOURCE_EXHAUSTED" },
} as const;

/** Returns the name of the error class that a client's SDK throws for status 429. */
function classOf({ name }: Client): string {
  if (name.startsWith("ai ")) return "AI_APICallError";
  return name === "genai" ? "ApiError" : "RateLimitError";
}

// The simulator refuses signatures and encrypted reasoning of other vendors, as real vendors do.
test.each(clients)(
  "$name: a conversation with reasoning and calls continues at another vendor, and back",
  async (client) => {
    const [one, other] = ownAndOther(client.wire);
    if (one === undefined || other === undefined) throw new Error("a client has two vendors");
    const question = { model: one.name, stream: false, prompt: call, tools, reasoning: true };
    const first = await client.ask(suite, keyOf("demo"), question);
    expect((await first.follow(resultsOf(first), { model: other.name })).text).toContain("rain");
    expect((await first.follow(resultsOf(first), { stream: true })).text).toContain("rain");
  },
);

test("a client that disconnects stops its vendor, and is charged for the received part", async () => {
  const before = await settled(suite);
  const leaving = new AbortController();
  const { text: content } = simulate({ chunks: 10_000, chunkDelayMs: 5 });
  const body = { model: "messages", stream: true, messages: [{ role: "user", content }] };
  const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { authorization: `Bearer ${keyOf("demo")}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.body?.getReader().read();
  leaving.abort();
  await until("it to reach the vendor", async () => (await suite.simulator.requests("messages")).at(-1)?.aborted);
  expect(await settled(suite)).toBeLessThan(before);
});

test("Ollama's client chats, and gets an error for a wrong key", async () => {
  const clientOf = (key: string) => new Ollama({ host: suite.edgeUrl, headers: { authorization: `Bearer ${key}` } });
  const messages = [{ role: "user", content: "Hello" }];
  const lines = [];
  for await (const { message } of await clientOf(keyOf("demo")).chat({ model: "messages", messages, stream: true }))
    lines.push(message.content);
  expect(lines.join("")).toBe("You said: Hello");
  const refused: unknown = await clientOf("sk-wrong-0123456789abcdef")
    .chat({ model: "messages", messages })
    .catch(String);
  expect(refused).toMatch(/key/);
});
