import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { config, hello, keys, post } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test.each([
  ["expired", keys.expired, "api_key_expired"],
  ["disabled", keys.disabled, "api_key_disabled"],
  ["unknown", "sk-unknown-0123456789abcdef", "invalid_api_key"],
  ["too short", "sk-1", "invalid_api_key"],
  ["of another format", "pk-0123456789abcdef", "invalid_api_key"],
  ["an injection", "sk-' OR '1'='1", "invalid_api_key"],
])("a key that is %s", async (_, key, code) => {
  const answer = await post(suite, hello("chat"), key);
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error: { code } });
});

test("a repeated header is refused, even with the same key", async () => {
  const headers = ["host", "edge", "authorization", `Bearer ${keys.demo}`, "authorization", `Bearer ${keys.demo}`];
  const status = await new Promise((resolve, reject) => {
    request(`${suite.edgeUrl}/v1/models`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(401);
});

test.each([
  ["/v1/v1/chat/completions", 404, "invalid_url_double_v1"],
  ["/v1//v1/models", 404, "invalid_url_double_v1"],
  ["/nothing/here", 404, "unknown_url"],
])("%s gets %i %s", async (path, status, code) => {
  const answer = await fetch(suite.edgeUrl + path, { method: "POST" });
  expect(answer.status).toBe(status);
  const body = await answer.json();
  expect(body).toMatchObject({ error: { code } });
  if (code === "invalid_url_double_v1") expect(JSON.stringify(body)).toContain("remove /v1");
});

test.each([
  ["/chat/completions", {}, "there is /v1/chat/completions: add /v1 to the base address"],
  ["/v1/chat/completions", {}, "No API key was sent"],
  ["/v1/chat/completions", { "x-goog-api-key": "sk-demo" }, "does not read an API key from the header x-goog-api-key"],
  ["/v1/chat/completions", { authorization: "Basic abc" }, "has no Bearer token"],
])("%s with %j: the answer says how to fix it", async (path, headers, words) => {
  const answer = await fetch(suite.edgeUrl + path, { method: "POST", headers });
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining(words) } });
});

test("an operator's change of a token takes effect immediately", async () => {
  const created = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  expect((await post(suite, hello("fixed"), created.key)).status).toBe(200);
  await suite.ask("token", "disable", created.id);
  await until("the key to be refused", async () => (await post(suite, hello("fixed"), created.key)).status === 401);
  await suite.ask("token", "enable", created.id);
  await until(
    "the key to be counted again",
    async () => (await post(suite, hello("fixed"), created.key)).status === 200,
  );
  await suite.ask("token", "expire", created.id);
  await until("the key to have expired", async () => (await post(suite, hello("fixed"), created.key)).status === 401);
});

interface RotatedKey {
  readonly id: string;
  readonly key: string;
  readonly previous?: { readonly hint: string; readonly expiresAt: string; readonly lastUsedAt?: string };
}

test("a rotated key and its predecessor share one budget, until the predecessor ends; other keys are untouched", async () => {
  const create = (...more: readonly string[]) =>
    suite.ask<RotatedKey>("token", "create", "demo", "--group", "default", ...more);
  const status = async (key: string) => (await post(suite, hello("fixed"), key)).status;
  const [created, other] = [await create("--dollars-per-day", "0.003"), await create()];
  expect(await status(created.key)).toBe(200);
  const rotated = await suite.ask<RotatedKey>("token", "rotate", created.id, "--grace-seconds", "3600");
  expect(rotated).toMatchObject({ id: created.id, previous: { expiresAt: expect.any(String) } });
  expect([await status(created.key), await status(rotated.key), await status(other.key)]).toEqual([200, 200, 200]);
  // Three calls at $0.001 have used up the budget of both keys.
  for (const key of [created.key, rotated.key])
    expect(await (await post(suite, hello("fixed"), key)).json()).toMatchObject({
      error: { code: "insufficient_quota" },
    });
  expect((await suite.ask<RotatedKey>("token", "show", created.id)).previous?.lastUsedAt).toBeDefined();

  await suite.ask("token", "set", created.id, "--dollars-per-day", "none");
  await until(
    "both keys' seats to be released",
    async () => (await status(created.key)) + (await status(rotated.key)) === 400,
  );
  const last = await suite.ask<RotatedKey>("token", "rotate", created.id, "--grace-seconds", "0");
  await until("the replaced key to have ended", async () => (await status(rotated.key)) === 401);
  expect([await status(created.key), await status(last.key), await status(other.key)]).toEqual([401, 200, 200]);

  await suite.ask("token", "delete", created.id);
  await until("the key to be removed", async () => (await status(last.key)) === 401);
  expect(await status(other.key)).toBe(200);
  const listed = await suite.ask<readonly RotatedKey[]>("token", "list", "demo");
  expect(listed.map(({ id }) => id)).toContain(other.id);
  expect(listed.map(({ id }) => id)).not.toContain(created.id);
});

test("requests per minute: shown on every answer, refused with the time of a retry", async () => {
  const answers = [];
  for (let at = 0; at < 3; at++) answers.push(await post(suite, hello("fixed"), keys.slow));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining-requests"))).toEqual(["1", "0", "0"]);
  const [, , refused] = answers;
  expect(refused?.headers.get("x-ratelimit-limit-requests")).toBe("2");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({ error: { type: "rate_limit_error", code: "rate_limit_exceeded" } });
});

test("tokens per minute: a call beyond the remaining tokens is refused", async () => {
  const large = hello("fixed", "word ".repeat(60));
  expect((await post(suite, large, keys.thrifty)).status).toBe(200);
  const refused = await post(suite, large, keys.thrifty);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("x-ratelimit-limit-tokens")).toBe("100");
});

test("one call at a time: the seat is released when the call ends, and when its client disconnects", async () => {
  const open = (signal: AbortSignal) =>
    fetch(`${suite.edgeUrl}/v1/chat/completions`, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${keys.single}`, "content-type": "application/json" },
      body: JSON.stringify({ ...hello("fixed", '{{simulate: {"chunks": 1000, "chunkDelayMs": 50}}}'), stream: true }),
    });
  const leaving = new AbortController();
  expect((await open(leaving.signal)).status).toBe(200);
  const refused = await post(suite, hello("fixed"), keys.single);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  leaving.abort();
  await until("the seat to be released", async () => (await post(suite, hello("fixed"), keys.single)).status === 200);
  await until(
    "the seat of a finished call",
    async () => (await post(suite, hello("fixed"), keys.single)).status === 200,
  );
});

test("a preflight request needs no key", async () => {
  const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-allow-headers")).toBe("authorization");
});

test("internal headers from clients are removed", async () => {
  const forged = await post(suite, hello("fixed"), keys.narrow, {
    "x-modelgate-caller": "forged.signature",
    "x-modelgate-anything": "1",
  });
  expect(forged.status).toBe(403);
  expect(await forged.json()).toMatchObject({ error: { code: "model_not_allowed", param: "model" } });
});

test.each([
  ["misspelled", "chatt"],
  ["of another kind", "sketch"],
])("a model that is %s gets 404", async (_, model) => {
  const answer = await post(suite, hello(model));
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
});

describe("a WebSocket", () => {
  const upgrade = (headers: Record<string, string>) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const outgoing = request(`${suite.edgeUrl}/v1/realtime?model=chat`, {
        headers: {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          ...headers,
        },
      });
      outgoing.on("response", (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      outgoing.on("error", reject).end();
    });

  test.each([
    ["no key", {}, 401, "invalid_api_key"],
    [
      "a wrong key as subprotocol",
      { "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-wrong-0123456789" },
      401,
      "invalid_api_key",
    ],
    [
      "a model of another kind",
      { "sec-websocket-protocol": `realtime, openai-insecure-api-key.${keys.demo}` },
      404,
      "model_not_found",
    ],
  ])("with %s is refused before the upgrade, with a JSON body", async (_, headers, status, code) => {
    const answer = await upgrade(headers);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
  });
});
