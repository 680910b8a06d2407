import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { clients } from "./clients/index.ts";
import { channelOfCloud, clouds, type Cloud } from "./clouds.ts";
import { keyOf, price, settled } from "./house.ts";
import { pdf, png } from "./media.ts";
import type { Client, Heard, Question } from "./question.ts";
import { forbidWarnings } from "./quiet.ts";

const accountOf = (client: Client, cloud: Cloud): string => `${client.name}-${cloud.name}`.replaceAll(" ", "-");
const accounts = ["demo", ...clients.flatMap((client) => clouds.map((cloud) => accountOf(client, cloud)))];

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...Object.fromEntries(clouds.map(({ name }) => [name, { kind: "chat", price }])),
        ranked: { kind: "rerank", price: { request: 0.002 } },
      },
      channels: [
        ...clouds.map(channelOfCloud),
        {
          id: "ranked",
          provider: "bedrock",
          baseUrl: "${SIMULATOR_URL}/at/ranked/bedrock?region=us-east-1",
          keys: ["bedrock-api-key-a"],
          models: { ranked: "cohere.rerank-v3-5:0" },
        },
      ],
      accounts: Object.fromEntries(
        accounts.map((name) => [name, { balance: "100", tokens: [{ key: keyOf(name), group: "default" }] }]),
      ),
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const simulate = (behaviour: object) => ({ text: `{{simulate: ${JSON.stringify(behaviour)}}}` });
const tools = [{ name: "weather", description: "The weather in a city.", argument: "city" }];
const schema = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
} as const;
const counted = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 };
/** A dollar for a million tokens is a thousand nano-dollars for one. */
const nanos = (tokens: number, dollars: number): bigint => BigInt(tokens * dollars * 1_000);

describe.each(clients)("$name", (client) => {
  describe.each(clouds)("to $name", (cloud) => {
    describe.each([
      { how: "whole", stream: false },
      { how: "streamed", stream: true },
    ])("$how", ({ stream }) => {
      beforeEach(() => suite.simulator.forget(cloud.name));
      const account = accountOf(client, cloud);
      const ask = (question: Partial<Question>): Promise<Heard> =>
        client.ask(suite, keyOf(account), { model: cloud.name, stream, said: [{ text: "Hello" }], ...question });
      const seen = async (): Promise<string> => (await suite.simulator.requests(cloud.name)).at(-1)?.body ?? "";

      test("text, and a system prompt", async () => {
        const heard = await ask({ system: "Be brief." });
        expect(heard).toMatchObject({ text: "You said: Hello", finish: client.endings.stop, dropped: [] });
        expect(await seen()).toContain("Be brief.");
      });

      test("letters of every kind", async () => {
        const text = 'Grüße, 世界 👋 \u0000\u2028 "quoted" \\ </script>';
        expect((await ask({ said: [simulate({ text })] })).text).toBe(text);
      });

      test("a picture", async () => {
        const heard = await ask({ said: [{ text: "Look: " }, { image: png }] });
        expect(heard.text).toMatch(/^You said: Look: \[image .*\d+ characters\]$/);
        expect(await seen()).toContain(png);
      });

      // The interface demands it: file input of chat completions is not streamed.
      test.skipIf(client.wire === "chat" && stream)("a PDF", async () => {
        const heard = await ask({ said: [{ text: "Read: " }, { pdf }] });
        expect(heard.text).toMatch(/^You said: Read: \[file .*\d+ characters\]$/);
        expect(await seen()).toContain(pdf);
      });

      test("an answer by a JSON schema", async () => {
        expect(JSON.parse((await ask({ schema })).text)).toEqual({ city: "words", degrees: 1 });
      });

      test("a call of a tool with thoughts, its result, and the answer after it", async () => {
        const first = await ask({ said: [{ text: 'call weather {"city":"Oslo"}' }], tools, reasoning: true });
        expect(first.calls).toMatchObject([{ name: "weather", arguments: { city: "Oslo" } }]);
        expect(first.finish).toBe(client.endings.calls);
        const outputs = first.calls.map((call) => ({ call, output: "four degrees" }));
        expect((await first.follow(outputs)).text).toContain("four degrees");
        // This SDK sends a message of this wire back without what it does not know.
        if (client.name !== "ai openai chat") expect(await seen()).toMatch(/[sS]ignature":"/);
      });

      test("ends where the tokens end, and where a guardrail stepped in", async () => {
        const long = await ask({ maxTokens: 20, said: [{ text: "word ".repeat(40) }] });
        expect(long.finish).toBe(client.endings.length);
        const filtered = await ask({ said: [simulate({ finish: "content_filter", text: "Half a" })] });
        expect([filtered.text, filtered.finish]).toEqual(["Half a", client.endings.filtered]);
      });

      test("usage is what the vendor reported, and the bill its price", async () => {
        const cacheWriteTokens = cloud.wire === "content" ? 0 : 100;
        const before = await settled(suite, account);
        const heard = await ask({ said: [{ text: "Hi " }, simulate({ usage: { ...counted, cacheWriteTokens } })] });
        expect(heard.usage).toMatchObject({ input: 1_000, cached: 600, output: 80 });
        expect(before - (await settled(suite, account))).toBe(
          nanos(1_000 - 600 - cacheWriteTokens, price.input) +
            nanos(600, price.cachedInput) +
            nanos(cacheWriteTokens, price.cacheWrite) +
            nanos(80, price.output),
        );
      });
    });

    test("a stream that breaks in its middle is an error, and what came is paid", async () => {
      const account = accountOf(client, cloud);
      const before = await settled(suite, account);
      const text = "one two three four five ".repeat(10);
      const said = [simulate({ errorAfterChunks: 10, chunks: 40, chunkDelayMs: 1, text })];
      const asked = client.ask(suite, keyOf(account), { model: cloud.name, stream: true, said });
      await expect(asked).rejects.toThrow();
      expect(before - (await settled(suite, account))).toBeGreaterThan(0n);
    });
  });
});

test("Claude on Bedrock gets a messages client's body, byte by byte but for model, stream and version", async () => {
  await suite.simulator.forget("bedrock-claude");
  const body =
    '{"model":"bedrock-claude", "max_tokens":16, "stream":true, "messages":[{"role":"user","content":"Hi"}], "metadata":{"user_id":"u"}}';
  const answer = await fetch(`${suite.edgeUrl}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": keyOf("demo"), "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body,
  });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const text = await answer.text();
  expect(text).toMatch(/^event: message_start\ndata: /);
  expect(text).toContain("event: message_stop\n");
  expect((await suite.simulator.requests("bedrock-claude")).at(-1)?.body).toBe(
    '{"max_tokens":16, "messages":[{"role":"user","content":"Hi"}], "metadata":{"user_id":"u"},"anthropic_version":"bedrock-2023-05-31"}',
  );
});

test("Bedrock ranks", async () => {
  const answer = await fetch(`${suite.edgeUrl}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyOf("demo")}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "ranked", query: "cats", documents: ["dogs", "cats"], top_n: 1 }),
  });
  expect([answer.status, JSON.parse(await answer.text()).results]).toMatchObject([200, [{ index: 1 }]]);
});
