import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, startSuite, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { config, keys } from "./suite-client.ts";
import { shownChannel } from "./operator.ts";

/** A thousand embeddings of 3,072 dimensions. */
const row = `[${Array.from({ length: 3_072 }, (_, at) => Math.sin(at + 1) / 17).join(",")}]`;
let rows = 1_000;
let vendor: ScriptedServer;
let suite: Suite;
beforeAll(async () => {
  vendor = await startScriptedServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"object":"list","data":[`);
    for (let at = 0; at < rows; at++)
      response.write(`${at === 0 ? "" : ","}{"object":"embedding","index":${at},"embedding":${row}}`);
    response.end(`],"model":"vectors","usage":{"prompt_tokens":4000,"total_tokens":4000}}`);
    return undefined;
  });
  suite = await startSuite({
    shape: "apart",
    config: {
      ...config,
      models: { ...config.models, vectors: { kind: "embedding", price: { input: 0.1 } } },
      channels: [
        ...config.channels,
        { id: "wide", provider: "openai", baseUrl: `${vendor.url}/v1`, keys: ["k"], models: ["vectors"] },
      ],
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const ask = () =>
  fetch(`${suite.edgeUrl}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "vectors", input: Array.from({ length: 1_000 }, () => "a b c d") }),
  });

test("thousand embeddings of 3,072 dimensions reach the client", async () => {
  const answer = await ask();
  const text = await answer.text();
  expect([answer.status, text.slice(0, 10)]).toEqual([200, '{"object":']);
  expect(text.length).toBeGreaterThan(50_000_000);
  expect(text.endsWith(`"usage":{"prompt_tokens":4000,"total_tokens":4000}}`)).toBe(true);
});

test("an answer above the maximum size is a clear error, and starts no cooldown", async () => {
  rows = 2_600;
  for (let at = 0; at < 4; at++) {
    const answer = await ask();
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      error: { code: "answer_too_large", message: expect.stringContaining("larger than the 134217728 bytes") },
    });
  }
  expect(await shownChannel(suite, "wide")).toMatchObject({ state: "ok", accountCooldowns: [] });
  rows = 1_000;
  expect((await ask()).status).toBe(200);
});
