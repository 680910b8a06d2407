import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { untilDetached } from "../../../../libs/relay/test/left-calls.ts";
import { cancelWaitMs, googleAt, keyOf, openaiAt, price, settled, startText } from "../every-vendor.ts";

const agent = "deep-research-preview-04-2026";
let area: Area;
beforeAll(async () => {
  area = await startText({
    limits: { text: { responses: { background: { cancelWaitMs } } } },
    models: { [agent]: { kind: "chat", price } },
    channels: [
      {
        id: agent,
        provider: "gemini",
        baseUrl: `\${SIMULATOR_URL}/at/${agent}/gemini`,
        keys: ["key-of-agent"],
        models: { [agent]: agent },
      },
    ],
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await area.simulator.forget(agent);
  await area.simulator.script(agent, []);
  await area.enable(agent);
});

const google = () => googleAt(area.url, keyOf("demo")).interactions;
const chat = () => openaiAt(area.url, keyOf("demo")).chat.completions;
const messages = [{ role: "user", content: "Hi" } as const];
const usage = { inputTokens: 1_000, cachedTokens: 400, outputTokens: 80, reasoningTokens: 30 };
// 600 × 2 + 400 × 0.5 + 80 × 8 US dollars per million tokens, in nano-dollars.
const cost = 2_040_000n;
const slow = { usage, chunks: 500, chunkDelayMs: 200, text: "word ".repeat(500) };
/** Returns the requests after the one that started the agent. */
const later = async (): Promise<readonly string[]> =>
  (await area.simulator.requests(agent)).slice(1).map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
const cancelled = () => until("the agent to be cancelled", async () => (await later()).includes("POST cancel"));
const cancels = async () => (await later()).filter((request) => request === "POST cancel").length;

async function read(): Promise<string> {
  let text = "";
  for await (const { choices } of await chat().create({ model: agent, messages, stream: true }))
    text += choices[0]?.delta.content ?? "";
  return text;
}

describe("a stream that breaks at the vendor", () => {
  const text = "one two three four five six seven eight nine ten";

  test.each<[string, readonly object[]]>([
    ["once", [{ usage, text, chunks: 10, cutAfterChunks: 3 }]],
    [
      "twice, and the first resumption fails",
      [{ usage, text, chunks: 10, cutAfterChunks: 3 }, { status: 503 }, { cutAfterChunks: 2 }],
    ],
  ])("%s is resumed; the client sees one stream and pays once", async (_, script) => {
    const before = await settled(area);
    await area.simulator.script(agent, script);
    expect(await read()).toBe(text);
    expect(before - (await settled(area))).toBe(cost);
    expect(new Set((await later()).map((request) => request.split(" ")[0]))).toEqual(new Set(["GET"]));
    expect(await later()).toHaveLength(script.length);
  });

  test("is resumed for interactions too, which are stored completely", async () => {
    await area.simulator.script(agent, [{ usage, text, chunks: 10, cutAfterChunks: 3 }]);
    const before = await settled(area);
    const { id } = await google().create({ agent, input: "Hi", background: true });
    const endedState = await until("its end", async () => {
      const state = await google().get(id);
      return state.status === "completed" && state;
    });
    expect(endedState.output_text).toBe(text);
    expect(before - (await settled(area))).toBe(cost);
  });

  test("fails after the maximum number of attempts; the agent is cancelled, and the client pays for the reported usage", async () => {
    const before = await settled(area);
    const broken = { status: 503 };
    await area.simulator.script(agent, [{ usage, text, chunks: 10, cutAfterChunks: 3 }, broken, broken, broken]);
    await expect(read()).rejects.toThrow("ended unexpectedly");
    await cancelled();
    expect((await later()).filter((request) => request.startsWith("GET"))).toHaveLength(3);
    expect(before - (await settled(area))).toBe(cost);
    expect(await cancels()).toBe(1);
  });
});

test("a stream that exceeds the client's limit has its agent cancelled, and costs the reported usage", async () => {
  const before = await settled(area);
  await area.simulator.script(agent, [{ usage, chunks: 200, chunkDelayMs: 50, text: "word ".repeat(2_000) }]);
  let reason: string | null | undefined;
  for await (const { choices } of await chat().create({ model: agent, messages, stream: true, max_tokens: 100 }))
    reason = choices[0]?.finish_reason ?? reason;
  expect(reason).toBe("length");
  await cancelled();
  expect(before - (await settled(area))).toBe(cost);
  expect(await cancels()).toBe(1);
});

describe("a client that disconnects", () => {
  test("a stream that is not stored has its agent cancelled, and costs the reported usage", async () => {
    const before = await settled(area);
    await area.simulator.script(agent, [slow]);
    for await (const { choices } of await chat().create({ model: agent, messages, stream: true }))
      if ((choices[0]?.delta.content ?? "") !== "") break;
    await cancelled();
    expect(before - (await settled(area))).toBe(cost);
  });

  test("an interaction that is not stored has its agent cancelled", async () => {
    expect(await cancels()).toBe(0);
    await area.simulator.script(agent, [slow]);
    for await (const event of await google().create({ agent, input: "Hi", stream: true, store: false }))
      if (event.event_type === "step.delta") break;
    await cancelled();
  });

  test("before the first byte has its agent cancelled as soon as its id is known", async () => {
    const before = await settled(area);
    await area.simulator.script(agent, [{ ...slow, delayMs: 60_000, waitFor: "left-agent" }]);
    const leaving = new AbortController();
    const call = chat().create({ model: agent, messages, stream: true }, { signal: leaving.signal });
    await until("the agent to be started", async () => (await area.simulator.requests(agent)).length > 0);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await untilDetached();
    await area.simulator.release("left-agent");
    await cancelled();
    expect(before - (await settled(area))).toBe(cost);
  });

  test("an answer that is polled has its agent cancelled, and costs the reported usage", async () => {
    const before = await settled(area);
    // Polls that are refused as too early do not end the waiting.
    await area.simulator.script(agent, [{ usage }, ...Array.from({ length: 20 }, () => ({ status: 429 }))]);
    const leaving = new AbortController();
    const call = chat().create({ model: agent, messages }, { signal: leaving.signal });
    await until("a poll", async () => (await later()).length > 0);
    await area.simulator.script(agent, []);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await cancelled();
    expect(before - (await settled(area))).toBe(cost);
  });

  test.each([true, undefined])("a stored stream with background: %s lets its agent continue", async (background) => {
    await area.simulator.script(agent, [{ usage, chunks: 20, chunkDelayMs: 10, text: "word ".repeat(20) }]);
    let id = "";
    for await (const event of await google().create({
      agent,
      input: "Hi",
      stream: true,
      ...(background && { background }),
    })) {
      if (event.event_type === "interaction.created") id = event.interaction.id;
      if (event.event_type === "step.delta") break;
    }
    const endedState = await until("its end", async () => {
      const state = await google().get(id);
      return state.status === "completed" && state;
    });
    expect(endedState.output_text?.trim().split(" ")).toHaveLength(20);
    expect(await cancels()).toBe(0);
  });
});

test("an agent in the background is cancelled once at its vendor when its interaction is cancelled", async () => {
  const before = await settled(area);
  await area.simulator.script(agent, [slow]);
  const { id } = await google().create({ agent, input: "Hi", background: true });
  await until("the agent to be started", async () => (await area.simulator.requests(agent)).length > 0);
  expect(await google().cancel(id)).toMatchObject({ status: "cancelled" });
  await cancelled();
  expect(before - (await settled(area))).toBe(cost);
  expect(await cancels()).toBe(1);
});
