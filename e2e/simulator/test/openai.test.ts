import { createServer, type Server } from "node:http";
import { once } from "node:events";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator } from "../src/simulator.ts";

let server: Server;
let url = "";
beforeAll(async () => {
  server = createServer(createSimulator()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const client = (key = "any") => new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: key, maxRetries: 0 });
const requestBody = (content: string) => ({ model: "m", messages: [{ role: "user" as const, content }] });
const bodyWithBehaviour = (behaviour: object, words = "Hi") =>
  requestBody(`${words} {{simulate: ${JSON.stringify(behaviour)}}}`);
const postRaw = (behaviour: object, stream = true, more: object = {}) =>
  fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...bodyWithBehaviour(behaviour), stream, ...more }),
  });

describe("with the official SDK", () => {
  test("an answer repeats the prompt, with usage by the documented rule", async () => {
    const answer = await client().chat.completions.create(requestBody("Hello"));
    expect(answer.choices[0]?.message.content).toBe("You said: Hello");
    expect(answer.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 });
  });

  test("a stream has the role, the content, the finish reason, the requested usage and its end", async () => {
    const stream = await client().chat.completions.create({
      ...requestBody("Hello"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("You said: Hello");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 6 } });
  });

  test("tool calls, errors, refused keys and the model list have the SDK's types", async () => {
    const called = await client().chat.completions.create(
      bodyWithBehaviour({ toolCalls: [{ name: "f", arguments: "{}" }] }),
    );
    expect(called.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [{ function: { name: "f" } }] },
    });
    await expect(
      client().chat.completions.create(bodyWithBehaviour({ status: 429, errorCode: "slow", retryAfter: "3" })),
    ).rejects.toMatchObject({ status: 429, code: "slow" });
    await expect(client("bad-key").chat.completions.create(requestBody("Hi"))).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    await expect(client().chat.completions.create(bodyWithBehaviour({ colour: "red" }))).rejects.toMatchObject({
      status: 400,
    });
    expect((await client().models.list()).data).toHaveLength(1);
  });
});

describe("faults", () => {
  test.each([
    ["cut", { chunks: 20, chunkDelayMs: 2, cutAfterChunks: 3 }],
    ["reset", { closeBeforeHead: true }],
  ])("%s breaks the connection", async (_, behaviour) => {
    await expect(postRaw(behaviour).then((answer) => answer.text())).rejects.toThrow();
  });

  test.each<[string, object, RegExp]>([
    ["CRLF", { crlf: true }, /\r\n\r\n/],
    ["comments", { comments: true }, /^: keep-alive\n\n/],
    ["an error frame", { errorAfterChunks: 2 }, /simulated failure in the stream/],
    ["no final frame", { noDone: true }, /^(?![\s\S]*\[DONE\])/],
  ])("%s shows", async (_, behaviour, shows) => {
    expect(await (await postRaw(behaviour)).text()).toMatch(shows);
  });

  test.each([true, false])("usage is omitted (stream: %s)", async (stream) => {
    const options = stream ? { stream_options: { include_usage: true } } : {};
    expect(await (await postRaw({}, stream, options)).text()).toContain('"usage":{');
    const silent = await (await postRaw({ usage: null }, stream, options)).text();
    expect(silent).toContain('"finish_reason":"stop"');
    expect(silent).not.toContain('"usage":{');
  });

  test("invalid JSON, and a long answer", async () => {
    expect(await (await postRaw({ malformed: true }, false)).text()).toContain("<html>");
    expect((await (await postRaw({ bodyBytes: 100_000 }, false)).text()).length).toBeGreaterThan(100_000);
  });
});

test("an instance follows its script and records its requests", async () => {
  const put = (steps: unknown) => fetch(`${url}/_script/one`, { method: "PUT", body: JSON.stringify(steps) });
  expect((await put([{ status: 500 }, {}, { status: 503, repeat: true }])).status).toBe(200);
  expect((await put([{ nonsense: 1 }])).status).toBe(400);
  const instance = new OpenAI({ baseURL: `${url}/at/one/openai/v1`, apiKey: "k", maxRetries: 0 });
  const statuses = [];
  for (let at = 0; at < 4; at++)
    statuses.push(
      await instance.chat.completions.create(requestBody("Hi")).then(
        () => 200,
        ({ status }) => status,
      ),
    );
  expect(statuses).toEqual([500, 200, 503, 503]);
  const received: readonly unknown[] = JSON.parse(await (await fetch(`${url}/_requests/one`)).text());
  expect(received).toHaveLength(4);
  expect(received[0]).toMatchObject({
    method: "POST",
    path: "/at/one/openai/v1/chat/completions",
    headers: { authorization: "Bearer k" },
  });
});
