import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapes, startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, hello, keys, post } from "./suite-client.ts";
import { shownChannel, switchedChannel } from "./operator.ts";

const thrifty = "sk-budget-0123456789abcdef";
describe.each(shapes)("services %s", (shape) => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({
      shape,
      config: {
        groups: { default: { models: ["*"] } },
        models: {
          fixed: { kind: "chat", price: { request: 0.001 } },
          half: { kind: "chat", price: { input: 2.5 } },
          bounded: { kind: "chat", price: { input: 1, output: 10 } },
        },
        channels: [channel("main", ["fixed", "half", "bounded"])],
        accounts: {
          demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default", name: "the demo's" }] },
          careful: {
            balance: "10.00",
            tokens: [
              { key: thrifty, group: "default", budget: { dollarsPerDay: 0.5 }, expiresAt: "2040-01-01T00:00:00Z" },
            ],
          },
        },
      },
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("a key's balance is the same in every format and under every path that clients use", async () => {
    await post(suite, hello("fixed"), thrifty);
    const subscription = await readJson("/v1/dashboard/billing/subscription", "/dashboard/billing/subscription");
    const usage = await readJson("/v1/dashboard/billing/usage?start_date=2026-01-01", "/dashboard/billing/usage");
    const credits = await readJson("/v1/credits", "/api/v1/credits");
    const key = await readJson("/v1/key", "/api/v1/key", "/v1/auth/key", "/api/v1/auth/key");
    expect(subscription).toMatchObject({
      object: "billing_subscription",
      hard_limit_usd: 0.5,
      access_until: Date.parse("2040-01-01T00:00:00Z") / 1_000,
    });
    expect(usage).toEqual({ object: "list", total_usage: 0.1 });
    expect(credits).toEqual({ data: { total_credits: 0.5, total_usage: 0.001 } });
    expect(key).toMatchObject({
      data: {
        limit: 0.5,
        limit_remaining: 0.499,
        usage: 0.001,
        usage_daily: 0.001,
        expires_at: "2040-01-01T00:00:00Z",
      },
    });
  });

  test("a key without budgets has the balance of its account, and an unknown one has nothing", async () => {
    const key = await get("/v1/key", keys.demo);
    expect(await key.json()).toMatchObject({ data: { label: "the demo's", limit: 10, limit_reset: null } });
    expect((await get("/v1/credits", "sk-unknown-0123456789abcdef")).status).toBe(401);
  });

  function get(path: string, key: string): Promise<Response> {
    return fetch(suite.edgeUrl + path, { headers: { authorization: `Bearer ${key}` } });
  }

  /** Returns the answer that all paths must have in common. */
  async function readJson(...paths: readonly string[]): Promise<unknown> {
    const all = await Promise.all(paths.map(async (path) => (await get(path, thrifty)).json()));
    for (const each of all) expect(each).toEqual(all[0]);
    return all[0];
  }

  test("units without a price, and usage above all limits, are shown to the operator", async () => {
    expect((await post(suite, hello("half"))).status).toBe(200);
    await until("it to be counted", async () =>
      (await (await fetch(`${suite.opsUrl("ledger")}/metrics`)).text()).includes(
        'modelgate_usage_unpriced_total{model="half",unit="outputTokens"',
      ),
    );
    const usage = { prompt_tokens: 1e15, completion_tokens: 3, total_tokens: 1e15 };
    await suite.simulator.script("main", [{ usage }]);
    const answer = await post(suite, { ...hello("bounded"), max_tokens: 50 });
    const requestId = answer.headers.get("x-request-id") ?? "";
    await until("its row", async () => {
      const rows = JSON.stringify(await suite.ask("usage", "list", "--request-id", requestId));
      return rows.includes(requestId) && rows.includes('"capped":["inputTokens"]');
    });
    const metrics = await (await fetch(`${suite.opsUrl("text")}/metrics`)).text();
    expect(metrics).toMatch(/modelgate_usage_capped_total\{channel="main",model="bounded",unit="inputTokens"/);
    expect((await shownChannel(suite, "main")).cappedCalls).toBeGreaterThan(0);
    expect((await switchedChannel(suite, "main", "enable")).cappedCalls).toBe(0);
  });
});
