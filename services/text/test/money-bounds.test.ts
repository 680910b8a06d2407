import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { channel, hello } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { post } from "./requests.ts";

const keys = {
  plain: "sk-plain-0123456789abcdef",
  daily: "sk-daily-0123456789abcdef",
  other: "sk-other-0123456789abcdef",
  team: "sk-team-0123456789abcdef",
  mate: "sk-mate-0123456789abcdef",
  limited: "sk-limited-0123456789abcdef",
  named: "sk-named-0123456789abcdef",
} as const;

const config = {
  groups: { default: { models: ["*"] }, team: { models: ["*"], limits: { dollarsPerDay: 0.005 } } },
  models: {
    fixed: { kind: "chat", price: { request: 0.001, input: 0, cachedInput: 0, output: 0 } },
    half: { kind: "chat", price: { input: 2.5 } },
    bounded: { kind: "chat", price: { input: 1, cachedInput: 1, output: 10 }, maxOutputTokens: 1_000 },
    thinker: { kind: "chat", price: { input: 1, cachedInput: 1, output: 10 } },
  },
  channels: [
    channel("main", ["fixed", "half"]),
    {
      id: "thoughts",
      provider: "anthropic",
      baseUrl: "${SIMULATOR_URL}/at/thoughts/anthropic",
      keys: ["key"],
      models: { thinker: "claude-sonnet-4-5", bounded: "claude-3-haiku" },
    },
  ],
  accounts: {
    demo: {
      balance: "1.00",
      tokens: [
        { key: keys.plain, group: "default" },
        { key: keys.daily, group: "default", budget: { dollarsPerDay: 0.003 } },
        { key: keys.other, group: "default", budget: { dollarsPerMonth: 1 } },
        { key: keys.team, group: "team" },
        { key: keys.mate, group: "team" },
      ],
    },
    careful: {
      balance: "10.00",
      tokens: [
        { key: keys.limited, group: "default", budget: { dollarsPerDay: 0.5 }, expiresAt: "2040-01-01T00:00:00Z" },
        { key: keys.named, group: "default", name: "the careful's" },
      ],
    },
    // Covers a few hundred output tokens without reasoning.
    small: { balance: "0.05", tokens: [{ key: "sk-small-0123456789abcdef", group: "default" }] },
  },
};

let area: Area;
beforeAll(async () => {
  area = await startArea(service, { config });
});
afterAll(() => area?.[Symbol.asyncDispose]());

test("a unit without a price costs nothing, and is marked and counted", async () => {
  expect((await post(area, hello("half"), keys.plain)).status).toBe(200);
  const event = await until("its event", async () => (await area.events()).find(({ model }) => model === "half"));
  expect(event).toMatchObject({ unpriced: ["outputTokens"], priceVersion: expect.stringMatching(/^[0-9a-f]{12}$/) });
  expect(BigInt(event.costNanos)).toBe(BigInt(event.units.inputTokens ?? 0) * 2_500n);
  const whole = await post(area, hello("fixed"), keys.plain);
  expect((await area.eventOf(whole.headers.get("x-request-id"))).unpriced).toBeUndefined();
});

test("a hold uses the catalogue's output limit if the client sets none or a larger one; a vendor that requires a limit gets it", async () => {
  const ask = (model: string, more: object = {}) =>
    post(area, { ...hello(model), ...more }, "sk-small-0123456789abcdef");
  const refused = await ask("thinker", { max_tokens: 16_384 });
  // The maximum assumes the limit of output tokens, and one input token per byte of the body.
  expect([refused.status, await refused.text()]).toEqual([402, expect.stringMatching(/may cost up to \$0\.1639\d+/)]);
  expect((await ask("bounded")).status).toBe(200);
  const [vendorRequest] = await area.simulator.requests("thoughts");
  expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ model: "claude-3-haiku", max_tokens: 1_000 });
  expect((await ask("bounded", { max_tokens: 1_000_000 })).status).not.toBe(402);
  expect((await ask("bounded", { n: 6, max_tokens: 1_000 })).status).toBe(402);
  await area.simulator.forget("thoughts");
});

test("if the balance does not cover the default limit, the vendor gets a lower one, and the client is informed", async () => {
  const before = (await area.account("small")).balanceNanos;
  const answer = await post(area, hello("thinker"), "sk-small-0123456789abcdef");
  const bytes = JSON.stringify(hello("thinker")).length;
  const bound = Number((before - BigInt(bytes) * 1_000n) / 10_000n);
  expect([answer.status, answer.headers.get("x-modelgate-max-output-tokens")]).toEqual([200, String(bound)]);
  const [vendorRequest] = await area.simulator.requests("thoughts");
  expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ max_tokens: bound });
  const covered = await post(area, { ...hello("thinker"), max_tokens: 100 }, "sk-small-0123456789abcdef");
  expect([covered.status, covered.headers.get("x-modelgate-max-output-tokens")]).toEqual([200, null]);
  await area.simulator.forget("thoughts");
});

test("a hold includes the reasoning that raises the limit for a messages vendor; a client's limit is unchanged", async () => {
  const vendorBodies = async () => (await area.simulator.requests("thoughts")).map(({ body }) => JSON.parse(body));
  const ask = (more: object) => post(area, { ...hello("thinker"), ...more }, "sk-small-0123456789abcdef");
  const refused = await ask({ reasoning_effort: "high" });
  // The maximum is twice 16,384 output tokens: once for text, and once for reasoning.
  expect([refused.status, await refused.text()]).toEqual([402, expect.stringMatching(/may cost up to \$0\.327\d+/)]);
  expect(await vendorBodies()).toEqual([]);
  expect((await ask({ reasoning_effort: "high", max_completion_tokens: 100 })).status).toBe(200);
  expect(await vendorBodies()).toMatchObject([{ max_tokens: 100 }]);
  const strict = await post(
    area,
    { ...hello("thinker"), reasoning_effort: "high", max_completion_tokens: 100 },
    "sk-small-0123456789abcdef",
    { "x-modelgate-strict": "true" },
  );
  expect([strict.status, await strict.json()]).toMatchObject([400, { error: { param: "reasoning_effort" } }]);
});

/** Makes calls at the same time. Returns the number of answers; each refusal must name the day's budget. */
async function passed(calls: readonly string[]): Promise<number> {
  const answers = await Promise.all(calls.map((key) => post(area, hello("fixed"), key)));
  const refused = answers.filter(({ status }) => status !== 200);
  for (const answer of refused)
    expect([answer.status, await answer.text()]).toEqual([402, expect.stringContaining("per day")]);
  return answers.length - refused.length;
}

test("a key's daily budget covers a fixed number of its parallel calls; other keys continue", async () => {
  expect(await passed(Array.from({ length: 20 }, () => keys.daily))).toBe(3);
  expect(await passed([keys.other, keys.plain])).toBe(2);
});

test("a group's daily budget is shared by all keys of an account in it", async () => {
  expect(await passed(Array.from({ length: 10 }, () => [keys.team, keys.mate]).flat())).toBe(5);
});

describe("the balance", () => {
  const read = async (path: string, key: string = keys.limited): Promise<unknown> =>
    (await fetch(area.url + path, { headers: { authorization: `Bearer ${key}` } })).json();

  test("of a key is the same in every format and under every path that clients use", async () => {
    expect((await post(area, hello("fixed"), keys.limited)).status).toBe(200);
    await area.settled("careful");
    const subscription = {
      object: "billing_subscription",
      hard_limit_usd: 0.5,
      access_until: Date.parse("2040-01-01T00:00:00Z") / 1_000,
    };
    const key = {
      data: {
        limit: 0.5,
        limit_remaining: 0.499,
        usage: 0.001,
        usage_daily: 0.001,
        expires_at: "2040-01-01T00:00:00Z",
      },
    };
    for (const prefix of ["", "/v1"]) {
      expect(await read(`${prefix}/dashboard/billing/subscription`)).toMatchObject(subscription);
      expect(await read(`${prefix}/dashboard/billing/usage?start_date=2026-01-01`)).toEqual({
        object: "list",
        total_usage: 0.1,
      });
    }
    for (const prefix of ["/v1", "/api/v1"]) {
      expect(await read(`${prefix}/credits`)).toEqual({ data: { total_credits: 0.5, total_usage: 0.001 } });
      for (const path of ["/key", "/auth/key"]) expect(await read(prefix + path)).toMatchObject(key);
    }
  });

  test("of a key without budgets is that of its account", async () => {
    expect(await read("/v1/key", keys.named)).toMatchObject({
      data: { label: "the careful's", limit: 10, limit_reset: null },
    });
  });
});
