import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { channel } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

/** Keys for the tests of models that serve calls of another model: as fallbacks, or as shares of an alias. */
const keys = {
  demo: "sk-demo-0123456789abcdef",
  narrow: "sk-narrow-0123456789abcdef",
  few: "sk-few-0123456789abcdef",
  poor: "sk-poor-0123456789abcdef",
} as const;

const kinds = {
  chat: "chat",
  vectors: "embedding",
  ranks: "rerank",
  rules: "moderation",
} as const;
const names = Object.keys(kinds) as (keyof typeof kinds)[];
const first = { request: 1 };
const spare = { request: 0.002 };
const spareNanos = 2_000_000;
/** Statuses if all channels fail (502), or are already in a cooldown (503). */
const failed: readonly number[] = [502, 503];
const unreachable = { baseUrl: "http://127.0.0.1:9/v1" };
const jina = { provider: "jina", baseUrl: "${SIMULATOR_URL}/at/ranks-spare/jina/v1" };

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: {
        default: { models: ["*"], showChannel: true },
        few: { models: ["chat", "chat-third"] },
      },
      models: {
        ...Object.fromEntries(
          names.flatMap((name) => [
            [name, { kind: kinds[name], price: first, fallbacks: [`${name}-spare`] }],
            [`${name}-spare`, { kind: kinds[name], price: spare }],
          ]),
        ),
        chat: { kind: "chat", price: first, fallbacks: ["chat-away", "chat-spare", "chat-third"] },
        "chat-away": { kind: "chat", price: first },
        "chat-third": { kind: "chat", price: { request: 0.003 } },
        "chat-off": { kind: "chat", price: first, fallbacks: ["chat-spare"] },
        works: { kind: "chat", price: first, fallbacks: ["chat-spare"] },
        busy: { kind: "chat", price: spare, fallbacks: ["chat-dear"] },
        "chat-dear": { kind: "chat", price: { request: 9 } },
        alias: { kind: "chat", shares: { steady: 0.9, canary: 0.1 }, fallbacks: ["chat-spare"] },
        steady: { kind: "chat", price: spare },
        canary: { kind: "chat", price: spare },
        quick: { kind: "chat", price: spare, choice: "fastest" },
        "alias-away": { kind: "chat", shares: { "chat-away": 1 }, fallbacks: ["chat-third"] },
      },
      channels: [
        channel("away", [...names.filter((name) => name !== "ranks"), "chat-away", "busy"], unreachable),
        channel("ranks-away", ["ranks"], { ...jina, baseUrl: unreachable.baseUrl }),
        channel("off", ["chat-off"], { keys: ["env:NO_SUCH_KEY"] }),
        ...names.filter((name) => name !== "ranks").map((name) => channel(`${name}-there`, [`${name}-spare`])),
        channel("ranks-there", ["ranks-spare"], jina),
        channel("dear", { quick: "slow" }),
        channel("near", { quick: "quick" }),
        channel("rest", ["chat-third", "chat-dear", "works", "steady", "canary"]),
      ],
      accounts: {
        demo: {
          balance: "100.00",
          tokens: [
            { key: keys.demo, group: "default" },
            { key: keys.narrow, group: "default", models: ["chat"] },
            { key: keys.few, group: "few" },
          ],
        },
        poor: { balance: "2.00", tokens: [{ key: keys.poor, group: "default" }] },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

let calls = 0;
async function call(path: string, body: object, key: string = keys.demo) {
  const requestId = `fallbacks-${++calls}`;
  const answer = await fetch(area.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-request-id": requestId,
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text(), requestId };
}

const eventOf = (requestId: string) => area.eventOf(requestId);

const messages = [{ role: "user", content: "Hello" }];
const asks: readonly (readonly [what: string, model: keyof typeof kinds, path: string, body: () => object])[] = [
  ["a chat", "chat", "/v1/chat/completions", () => ({ model: "chat", messages })],
  ["a streamed chat", "chat", "/v1/chat/completions", () => ({ model: "chat", messages, stream: true })],
  ["a message", "chat", "/v1/messages", () => ({ model: "chat", max_tokens: 50, messages })],
  ["a response", "chat", "/v1/responses", () => ({ model: "chat", input: "Hello" })],
  ["vectors", "vectors", "/v1/embeddings", () => ({ model: "vectors", input: "Hello" })],
  ["a ranking", "ranks", "/v1/rerank", () => ({ model: "ranks", query: "a", documents: ["a", "b"] })],
  ["a moderation", "rules", "/v1/moderations", () => ({ model: "rules", input: "Hello" })],
];

describe("with all channels of its model unavailable", () => {
  test.each(asks)(
    "%s is served by the fallback, at its price, and has the requested name",
    async (_what, model, path, body) => {
      const { status, headers, text, requestId } = await call(path, body());
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(headers.get("x-modelgate-model")).toBe(`${model}-spare`);
      expect(headers.get("x-modelgate-channel")).toBe(`${model}-there`);
      if (text.includes('"model"')) expect(text).toMatch(new RegExp(`"model": ?"${model}"`));
      expect(text).not.toContain(`"${model}-spare"`);
      const event = await eventOf(requestId);
      expect(event).toMatchObject({
        model: `${model}-spare`,
        requestedModel: model,
        channelId: `${model}-there`,
        status: 200,
        outcome: "completed",
        costNanos: `${spareNanos}`,
      });
      expect(event.units.requests).toBe(1);
    },
  );

  test("the attempts at all models belong to one call", async () => {
    const { headers, requestId } = await call("/v1/chat/completions", { model: "chat", messages });
    const { attempts } = await eventOf(requestId);
    expect((headers.get("x-modelgate-attempts") ?? "").split(", ")).toHaveLength(attempts);
  });

  test("its hold is released completely", async () => {
    await until("all holds to be settled", async () => (await area.account("demo")).heldNanos === 0n);
  });
});

test("a model whose only channel is off is served by its fallback", async () => {
  const { status, headers } = await call("/v1/chat/completions", { model: "chat-off", messages });
  expect([status, headers.get("x-modelgate-model")]).toEqual([200, "chat-spare"]);
});

test("a fallback outside the key's group is skipped", async () => {
  const { status, headers, requestId } = await call("/v1/chat/completions", { model: "chat", messages }, keys.few);
  expect([status, headers.get("x-modelgate-model")]).toEqual([200, "chat-third"]);
  expect(await eventOf(requestId)).toMatchObject({ model: "chat-third", costNanos: "3000000" });
});

test("a key without a permitted fallback gets its model's own failure, recorded once and free of charge", async () => {
  const { status, headers, requestId } = await call("/v1/chat/completions", { model: "chat", messages }, keys.narrow);
  expect(failed).toContain(status);
  expect(headers.get("x-modelgate-model")).toBeNull();
  expect(await eventOf(requestId)).toMatchObject({ model: "chat", outcome: "failed", costNanos: "0" });
});

test("a fallback that the balance does not cover is not started, and nothing is held", async () => {
  const { status } = await call("/v1/chat/completions", { model: "busy", messages }, keys.poor);
  expect(failed).toContain(status);
  await until("all holds to be released", async () => {
    const { heldNanos, spentNanos } = await area.account("poor");
    return heldNanos === 0n && spentNanos === 0n;
  });
});

test("an invalid request that a vendor refuses is not sent to another model", async () => {
  const content = 'Hello {{simulate: {"status": 400}}}';
  const { status, headers, requestId } = await call("/v1/chat/completions", {
    model: "works",
    messages: [{ role: "user", content }],
  });
  expect([status, headers.get("x-modelgate-model")]).toEqual([400, null]);
  const event = await eventOf(requestId);
  expect([event.model, event.requestedModel]).toEqual(["works", undefined]);
});

describe("an alias with shares", () => {
  test("is split between them, and each call names and pays the model that served it", async () => {
    const count = 200;
    const served = new Map<string | null, number>();
    for (let done = 0; done < count; done += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call("/v1/chat/completions", { model: "alias", messages })),
      );
      for (const { headers, text } of answers) {
        const model = headers.get("x-modelgate-model");
        served.set(model, (served.get(model) ?? 0) + 1);
        expect(JSON.parse(text)).toMatchObject({ model: "alias" });
      }
    }
    const [steady = 0, canary = 0] = [served.get("steady"), served.get("canary")];
    expect(steady + canary).toBe(count);
    // With 200 draws and a probability of one in ten, other numbers are practically impossible.
    expect(canary).toBeGreaterThan(1);
    expect(canary).toBeLessThan(50);
    const events = await until("their events", async () => {
      const all = (await area.events()).filter(({ requestedModel }) => requestedModel === "alias");
      return all.length === count && all;
    });
    expect(events.filter(({ model }) => model === "canary")).toHaveLength(canary);
  });

  test("uses the fallbacks of the alias", async () => {
    const { status, headers, text } = await call("/v1/chat/completions", { model: "alias-away", messages });
    expect([status, headers.get("x-modelgate-model")]).toEqual([200, "chat-third"]);
    expect(JSON.parse(text)).toMatchObject({ model: "alias-away" });
  });
});

describe("among channels of one priority", () => {
  const servedBy = async (model: string): Promise<string | null> =>
    (await call("/v1/chat/completions", { model, messages })).headers.get("x-modelgate-channel");

  test("the fastest is the one with the shortest recent time to the first byte", async () => {
    await area.simulator.script(
      "dear",
      Array.from({ length: 50 }, () => ({ delayMs: 400 })),
    );
    const servingModels = new Set<string | null>();
    await until("both to have answered", async () => servingModels.add(await servedBy("quick")).size === 2);
    for (let at = 0; at < 8; at++) expect(await servedBy("quick")).toBe("near");
  });
});
