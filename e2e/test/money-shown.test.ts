import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapes, startSuite, type Suite } from "@modelgate/testkit";
import { channel, hello, keys, post } from "./house.ts";

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
          renamed: { kind: "chat", price: { request: 0.001 } },
          claude: { kind: "chat", price: { request: 0.001 } },
          embed: { kind: "embedding", price: { request: 0.001 } },
        },
        channels: [
          channel("main", { fixed: "fixed", embed: "embed", renamed: "other-name" }),
          {
            ...channel("far", ["claude"]),
            provider: "anthropic",
            baseUrl: "${SIMULATOR_URL}/at/far/anthropic",
          },
        ],
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

  const asking = { usage: { include: true } };

  describe.each(["fixed", "renamed", "claude"])("the cost of a call of %s", (model) => {
    test("stands in the head of a whole answer, and in its usage where the client asks", async () => {
      const plain = await post(suite, hello(model));
      expect(plain.headers.get("x-modelgate-cost")).toBe("0.001");
      expect(await plain.json()).not.toHaveProperty("usage.cost");
      const asked = await post(suite, { ...hello(model), ...asking });
      expect(await asked.json()).toMatchObject({ model, usage: { cost: 0.001, total_tokens: expect.any(Number) } });
    });

    test("is a stream's trailer, and stands in its last frame of usage where the client asks", async () => {
      const plain = await streamed({ ...hello(model), stream: true });
      expect([plain.trailer, plain.text.includes('"cost"')]).toEqual(["0.001", false]);
      const asked = await streamed({ ...hello(model), ...asking, stream: true });
      const costs = frames(asked.text).flatMap(({ usage }) => (usage?.cost === undefined ? [] : [usage.cost]));
      expect([asked.trailer, costs]).toEqual(["0.001", [0.001]]);
    });
  });

  describe.each(["fixed", "renamed", "claude"])("the cost of a call of %s in other wires' usage", (model) => {
    const asks: readonly (readonly [string, object])[] = [
      ["/v1/responses", { model, input: "Hi" }],
      ["/v1/messages", { ...hello(model), max_tokens: 100 }],
    ];

    test.each(asks)("%s, whole and streamed", async (path, body) => {
      const plain = await streamed(body, path);
      expect([plain.text.includes('"cost"'), JSON.parse(plain.text)]).toEqual([false, expect.anything()]);
      const whole = await streamed({ ...body, ...asking }, path);
      expect(JSON.parse(whole.text)).toMatchObject({ model, usage: { cost: 0.001, input_tokens: expect.any(Number) } });
      const stream = await streamed({ ...body, ...asking, stream: true }, path);
      const costs = frames(stream.text).flatMap(({ usage, response }) => (usage ?? response?.usage)?.cost ?? []);
      expect([stream.trailer, costs]).toEqual(["0.001", [0.001]]);
    });
  });

  test("other whole answers say their cost too", async () => {
    const answer = await fetch(`${suite.edgeUrl}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "embed", input: "Hello" }),
    });
    expect([answer.status, answer.headers.get("x-modelgate-cost")]).toEqual([200, "0.001"]);
  });

  test("a key's money is the same in every shape, under every path that clients have built in", async () => {
    await post(suite, hello("fixed"), thrifty);
    const subscription = await look("/v1/dashboard/billing/subscription", "/dashboard/billing/subscription");
    const usage = await look("/v1/dashboard/billing/usage?start_date=2026-01-01", "/dashboard/billing/usage");
    const credits = await look("/v1/credits", "/api/v1/credits");
    const key = await look("/v1/key", "/api/v1/key", "/v1/auth/key", "/api/v1/auth/key");
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

  test("a key without budgets has what its account has, and one that is unknown has nothing", async () => {
    const key = await get("/v1/key", keys.demo);
    expect(await key.json()).toMatchObject({ data: { label: "the demo's", limit: 10, limit_reset: null } });
    expect((await get("/v1/credits", "sk-unknown-0123456789abcdef")).status).toBe(401);
  });

  function get(path: string, key: string): Promise<Response> {
    return fetch(suite.edgeUrl + path, { headers: { authorization: `Bearer ${key}` } });
  }

  /** What paths that mean the same answer. */
  async function look(...paths: readonly string[]): Promise<unknown> {
    const all = await Promise.all(paths.map(async (path) => (await get(path, thrifty)).json()));
    for (const each of all) expect(each).toEqual(all[0]);
    return all[0];
  }

  interface Frame {
    readonly usage?: { readonly cost?: number } | null;
    readonly response?: Frame;
  }

  function frames(text: string): readonly Frame[] {
    return text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line): Frame => JSON.parse(line.slice("data: ".length)));
  }

  /** A stream with its trailer, which fetch does not show. */
  function streamed(
    body: object,
    path = "/v1/chat/completions",
  ): Promise<{ readonly text: string; readonly trailer: string | undefined }> {
    return new Promise((resolve, reject) => {
      const type = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
      const headers = { authorization: `Bearer ${keys.demo}`, ...type };
      request(suite.edgeUrl + path, { method: "POST", headers }, (answer) => {
        let text = "";
        answer
          .setEncoding("utf8")
          .on("data", (piece: string) => (text += piece))
          .once("end", () => resolve({ text, trailer: answer.trailers["x-modelgate-cost"] }));
      })
        .once("error", reject)
        .end(JSON.stringify(body));
    });
  }
});
