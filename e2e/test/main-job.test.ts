import { Compile } from "typebox/compile";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UsageEvent } from "@modelgate/contracts";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { shownChannel, switchedChannel } from "./operator.ts";
import { channel, config, hello, keys, money, post, sdk, settledMoney } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...config,
      models: {
        ...config.models,
        half: { kind: "chat", price: { input: 2.5 } },
        bounded: { kind: "chat", price: { input: 1, output: 10 } },
      },
      channels: [...config.channels, channel("dubious", ["half", "bounded"])],
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Returns the balance after all settlements. */
const settled = async (): Promise<bigint> => BigInt((await settledMoney(suite)).balanceNanos);

test("a chat completion with the official SDK reduces the balance by exactly its price", async () => {
  const before = await settled();
  const answer = await sdk(suite).chat.completions.create(hello("chat"));
  expect(answer.choices[0]?.message.content).toBe("You said: Hello");
  expect(answer.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4 });
  // 2 input tokens at $2.50 and 4 output tokens at $10 per million.
  expect(before - (await settled())).toBe(45_000n);
});

test("a streamed one has usage only if requested", async () => {
  const before = await settled();
  for (const include of [true, false]) {
    const chunks = [];
    const stream = await sdk(suite).chat.completions.create({
      ...hello("chat"),
      stream: true,
      ...(include ? { stream_options: { include_usage: true } } : {}),
    });
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("You said: Hello");
    expect(chunks.filter(({ usage }) => usage?.total_tokens === 6)).toHaveLength(include ? 1 : 0);
    expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(include ? 1 : 0);
  }
  expect(before - (await settled())).toBe(90_000n);
});

test("tools are streamed as fragments", async () => {
  const ask = `{{simulate: {"toolCalls": [{"name": "weather", "arguments": "{\\"city\\":\\"Oslo\\"}"}]}}}`;
  const runner = sdk(suite).chat.completions.stream({
    ...hello("chat", ask),
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }],
  });
  const message = await runner.finalMessage();
  expect(message.tool_calls?.[0]).toMatchObject({ function: { name: "weather", arguments: '{"city":"Oslo"}' } });
});

test("image and file parts reach the vendor unchanged", async () => {
  await suite.simulator.forget("main");
  const body = JSON.stringify({
    model: "chat",
    seed: 12345,
    unknown_field: { kept: true },
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look: " },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          { type: "file", file: { filename: "q3.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQK" } },
        ],
      },
    ],
  }).replace('"seed":12345', '"seed" : 12345678901234567890');
  const answer = await (await post(suite, body)).json();
  expect(answer).toMatchObject({
    choices: [{ message: { content: "You said: Look: [image 34 characters][file q3.pdf 40 characters]" } }],
  });
  const [vendorRequest] = await suite.simulator.requests("main");
  expect(vendorRequest?.body).toBe(body);
  expect(vendorRequest?.headers["authorization"]).toBe("Bearer key-of-main");
  expect(JSON.stringify(vendorRequest?.headers)).not.toContain(keys.demo);
});

test("fields that clients send as null count as absent", async () => {
  const answer = await post(suite, { ...hello("fixed"), stream: null, max_tokens: null, n: null });
  expect(answer.status).toBe(200);
});

test("a model with another name at the vendor keeps its name for the client", async () => {
  await suite.simulator.forget("other");
  const answer = await sdk(suite).chat.completions.create(hello("renamed"));
  expect(answer.model).toBe("renamed");
  for await (const chunk of await sdk(suite).chat.completions.create({ ...hello("renamed"), stream: true }))
    expect(chunk.model).toBe("renamed");
  const vendorRequests = await suite.simulator.requests("other");
  expect(vendorRequests.map(({ body }) => JSON.parse(body).model)).toEqual(["vendor-name", "vendor-name"]);
});

test("every call is one event, with every field of the contract, and is counted", async () => {
  const answer = await post(suite, hello("fixed"), keys.demo, { "x-request-id": "my-own-id-1" });
  expect(answer.headers.get("x-request-id")).toBe("my-own-id-1");
  const stored = await until("the event to be stored", async () =>
    (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.requestId === "my-own-id-1"),
  );
  expect(Compile(UsageEvent).Errors(stored.event)).toEqual([]);
  expect(stored.id).toBe(stored.event.id);
  expect(stored.subject).toBe("usage.v1.text");
  expect(stored.event).toMatchObject({
    accountId: "demo",
    group: "default",
    area: "text",
    endpoint: "POST /v1/chat/completions",
    model: "fixed",
    upstreamModel: "fixed",
    channelId: "main",
    status: 200,
    outcome: "completed",
    units: { inputTokens: 2, outputTokens: 4, requests: 1 },
    estimated: false,
    multiplier: 1,
    costNanos: "1000000",
    attempts: 1,
  });
  const events = await until("all events to be stored", async () => {
    const all = await storedEvents(suite.backends.natsUrl);
    const { spentNanos } = await money(suite);
    return all.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n) === BigInt(spentNanos) && all;
  });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  await until("usage to be counted", async () => {
    const rows = await suite.ask<{ sums: Record<string, string> }[]>("usage", "--by", "account");
    return rows[0]?.sums["calls"] === String(events.length);
  });
});

test("model lists in three formats show what the key can call", async () => {
  const list = async (path: string, headers: Record<string, string>) =>
    (await fetch(suite.edgeUrl + path, { headers })).json();
  const names = ["bounded", "chat", "fixed", "half", "renamed", "sketch"];
  const ids: string[] = [];
  for await (const { id } of sdk(suite).models.list()) ids.push(id);
  expect(ids).toEqual(names);
  expect(await list("/v1/models", { "x-api-key": keys.demo, "anthropic-version": "2023-06-01" })).toMatchObject({
    data: names.map((id) => ({ type: "model", id })),
    has_more: false,
    first_id: "bounded",
    last_id: "sketch",
  });
  const gamma = { models: names.map((name) => ({ name: `models/${name}` })) };
  expect(await list("/v1/models", { "x-goog-api-key": keys.demo })).toMatchObject(gamma);
  expect(await list(`/v1/models?key=${keys.demo}`, {})).toMatchObject(gamma);
  expect(await list("/v1beta/models", { "x-gamma-api-key": keys.demo })).toMatchObject(gamma);
  expect(await list("/v1/models", { authorization: `Bearer ${keys.narrow}` })).toMatchObject({
    data: [{ id: "chat", owned_by: "acme" }],
  });
  expect(await sdk(suite).models.retrieve("chat")).toMatchObject({ id: "chat", object: "model" });
  expect(await list("/v1beta/models/chat", { "x-goog-api-key": keys.demo })).toMatchObject({ name: "models/chat" });
  await expect(sdk(suite, keys.narrow).models.retrieve("fixed")).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
});

test("the API is described by its OpenAPI document", async () => {
  const document = await (await fetch(`${suite.edgeUrl}/openapi.json`)).json();
  expect(document).toMatchObject({
    openapi: "3.1.0",
    paths: { "/v1/chat/completions": { post: { operationId: "chatCompletions" } } },
  });
});

test("units without a price, and usage above all limits, are shown to the operator", async () => {
  expect((await post(suite, hello("half"))).status).toBe(200);
  await until("it to be counted", async () =>
    (await (await fetch(`${suite.opsUrl("ledger")}/metrics`)).text()).includes(
      'modelgate_usage_unpriced_total{model="half",unit="outputTokens"',
    ),
  );
  const usage = { prompt_tokens: 1e15, completion_tokens: 3, total_tokens: 1e15 };
  await suite.simulator.script("dubious", [{ usage }]);
  const answer = await post(suite, { ...hello("bounded"), max_tokens: 50 });
  const requestId = answer.headers.get("x-request-id") ?? "";
  await until("its row", async () => {
    const rows = JSON.stringify(await suite.ask("usage", "list", "--request-id", requestId));
    return rows.includes(requestId) && rows.includes('"capped":["inputTokens"]');
  });
  const metrics = await (await fetch(`${suite.opsUrl("text")}/metrics`)).text();
  expect(metrics).toMatch(/modelgate_usage_capped_total\{channel="dubious",model="bounded",unit="inputTokens"/);
  expect((await shownChannel(suite, "dubious")).cappedCalls).toBeGreaterThan(0);
  expect((await switchedChannel(suite, "dubious", "enable")).cappedCalls).toBe(0);
});
