import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { startReportingVendor, type ReportingVendor } from "./reporting-vendor.ts";

/** Keys for the tests of `usage.iterations`: model runs that a vendor bills in addition to `usage`. */
const keys = { usual: "sk-usual-0123456789abcdef", few: "sk-few-0123456789abcdef" } as const;

let area: Area;
let vendor: ReportingVendor;
beforeAll(async () => {
  vendor = await startReportingVendor();
  area = await startArea(service, {
    config: {
      groups: { usual: { models: ["*"] }, few: { models: ["fable"] } },
      models: {
        fable: { kind: "chat", price: { input: 10, cachedInput: 1, output: 50 } },
        opus: { kind: "chat", price: { input: 5, cachedInput: 0.5, output: 25 } },
      },
      channels: [
        {
          id: "claude",
          provider: "anthropic",
          baseUrl: vendor.url,
          keys: ["key"],
          models: { fable: "claude-fable-5", opus: "claude-opus-4-8" },
        },
      ],
      accounts: {
        demo: {
          balance: "100.00",
          tokens: [
            { key: keys.usual, group: "usual" },
            { key: keys.few, group: "few" },
          ],
        },
        poor: { balance: "0.01", tokens: [{ key: "sk-poor-0123456789abcdef", group: "usual" }] },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const tokens = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });

let calls = 0;
async function call(more: object = {}, key: string = keys.usual, headers: Record<string, string> = {}) {
  const requestId = `iterations-${++calls}`;
  const answer = await fetch(`${area.url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-request-id": requestId,
      ...headers,
    },
    body: JSON.stringify({ model: "fable", max_tokens: 8, messages: [{ role: "user", content: "Go" }], ...more }),
  });
  const text = await answer.text();
  return { status: answer.status, text, requestId, dropped: answer.headers.get("x-modelgate-dropped") };
}

/** Sends a call that must succeed. Returns its usage event. */
async function billed(more: object = {}) {
  const { status, text, requestId } = await call(more);
  expect(`${status} ${text}`).toMatch(/^200 /);
  return await area.eventOf(requestId);
}

const sentFallbacks = (): unknown => JSON.parse(vendor.requests.at(-1)?.body ?? "{}").fallbacks;

describe.each([false, true])("streamed: %s", (stream) => {
  test("a compaction is charged with the answer, in addition to the answer's output limit", async () => {
    const iterations = [
      { type: "compaction", ...tokens(60_000, 3_000), cache_read_input_tokens: 2_000 },
      { type: "message", model: "claude-fable-5", ...tokens(700, 5) },
    ];
    vendor.report({ usage: { ...tokens(700, 5), iterations } });
    const event = await billed({ stream });
    expect(event).toMatchObject({
      units: { inputTokens: 60_700, cachedInputTokens: 2_000, outputTokens: 3_005, requests: 1 },
      costNanos: String(60_700 * 10_000 + 2_000 * 1_000 + 3_005 * 50_000),
      upstreamModel: "claude-fable-5",
    });
    expect(event.otherModels).toBeUndefined();
  });

  test("an answer of a fallback model has its price; a refusal without output costs nothing", async () => {
    const iterations = [
      { type: "message", model: "claude-fable-5", ...tokens(408, 0) },
      { type: "fallback_message", model: "claude-opus-4-8", ...tokens(412, 264) },
    ];
    vendor.report({ usage: { ...tokens(412, 264), iterations } });
    expect(await billed({ stream, max_tokens: 500, fallbacks: "default" })).toMatchObject({
      model: "fable",
      upstreamModel: "claude-opus-4-8",
      units: { inputTokens: 412, outputTokens: 264 },
      costNanos: String(412 * 5_000 + 264 * 25_000),
    });
  });

  test("a model that refused in the middle of its output is charged at its price, and an advisor at the advisor's", async () => {
    const iterations = [
      { type: "message", model: "claude-fable-5", ...tokens(408, 100) },
      { type: "fallback_message", model: "claude-opus-4-8", ...tokens(412, 164) },
    ];
    vendor.report({ usage: { ...tokens(412, 164), iterations } });
    const event = await billed({ stream, max_tokens: 500 });
    expect(event).toMatchObject({
      units: { inputTokens: 412, outputTokens: 164 },
      otherModels: [{ model: "claude-fable-5", units: { inputTokens: 408, outputTokens: 100 } }],
      costNanos: String(412 * 5_000 + 164 * 25_000 + 408 * 10_000 + 100 * 50_000),
    });
    expect(event.priceVersion).not.toBe(event.otherModels?.[0]?.priceVersion);
    const advised = [{ type: "advisor_message", model: "claude-opus-4-8-20260528", ...tokens(1_000, 200) }];
    vendor.report({ usage: { ...tokens(10, 5), iterations: advised } });
    expect(await billed({ stream })).toMatchObject({
      upstreamModel: "claude-fable-5",
      costNanos: String(10 * 10_000 + 5 * 50_000 + 1_000 * 5_000 + 200 * 25_000),
    });
  });
});

test("a usage that includes the refused output is not charged for it again", async () => {
  const iterations = [
    { type: "message", model: "claude-fable-5", ...tokens(408, 100) },
    { type: "fallback_message", model: "claude-opus-4-8", ...tokens(412, 164) },
  ];
  vendor.report({ usage: { ...tokens(820, 264), iterations } });
  expect(await billed({ max_tokens: 500 })).toMatchObject({ costNanos: String(820 * 5_000 + 264 * 25_000) });
});

describe("fallback models in a request", () => {
  const fallbacks = [{ model: "opus", max_tokens: 20 }, { model: "claude-unknown" }];

  test("are sent by the vendor's names; one without a price is dropped and named, or refused", async () => {
    vendor.report({ usage: tokens(1, 1) });
    expect(await call({ fallbacks })).toMatchObject({ status: 200, dropped: "fallbacks[1]" });
    expect(sentFallbacks()).toEqual([{ model: "claude-opus-4-8", max_tokens: 20 }]);
    const strict = await call({ fallbacks }, keys.usual, { "x-modelgate-strict": "true" });
    expect([strict.status, strict.text]).toEqual([400, expect.stringContaining("fallbacks[1].model")]);
    expect((await call({ fallbacks: [{ model: "claude-opus-4-8" }] })).dropped).toBeNull();
  });

  test("of an advisor tool are sent by the vendor's names; one without a price is dropped and named", async () => {
    const tools = ["opus", "claude-unknown"].map((model) => ({ type: "advisor_20260301", name: "advisor", model }));
    vendor.report({ usage: tokens(1, 1) });
    expect(await call({ tools })).toMatchObject({ status: 200, dropped: "tools[1]" });
    expect(JSON.parse(vendor.requests.at(-1)?.body ?? "{}").tools).toEqual([
      { ...tools[0], model: "claude-opus-4-8", max_uses: 3 },
    ]);
  });

  test("are dropped if the key may not use them", async () => {
    expect(await call({ fallbacks }, keys.few)).toMatchObject({ status: 200, dropped: "fallbacks[0], fallbacks[1]" });
    expect(sentFallbacks()).toBeUndefined();
  });

  test("are included in the hold", async () => {
    const ask = (more: object) => call({ model: "opus", max_tokens: 300, ...more }, "sk-poor-0123456789abcdef");
    expect((await ask({})).status).toBe(200);
    expect((await ask({ fallbacks: [{ model: "fable" }] })).status).toBe(402);
  });
});
