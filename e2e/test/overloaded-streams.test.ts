import { afterAll, beforeAll, expect, test } from "vitest";
import { sse, startScriptedServer, startSuite, textAnswers, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { channel, hello, keys } from "./suite-client.ts";

/** Frames of the vendor's stream, which reports an overload after its first word. */
const { begin, word } = textAnswers.messages({ usage: { input_tokens: 3 } });
const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
let vendor: ScriptedServer;

let suite: Suite;
beforeAll(async () => {
  vendor = await startScriptedServer({ "/messages": { body: begin + word("Hel") + sse(overloaded) } });
  const at = { provider: "anthropic", baseUrl: vendor.url };
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        ["same", "renamed"].map((name) => [name, { kind: "chat", price: { request: 0.001 } }]),
      ),
      channels: [{ ...channel("busy", { same: "same", renamed: "theirs" }), ...at }],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

async function streamed(path: string, body: object): Promise<string> {
  const headers = {
    authorization: `Bearer ${keys.demo}`,
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  return await (
    await fetch(suite.edgeUrl + path, { method: "POST", headers, body: JSON.stringify({ ...body, stream: true }) })
  ).text();
}

test.each(["same", "renamed"])("clients of messages get the wire's error type: %s", async (model) => {
  const text = await streamed("/v1/messages", { ...hello(model), max_tokens: 100 });
  expect(text).toContain("Hel");
  expect(text).toMatch(/\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error".*\n\n$/);
});

test("clients of chat completions get the error's code", async () => {
  const text = await streamed("/v1/chat/completions", hello("same"));
  expect(text).toMatch(/\n\ndata: \{"error":\{.*"code":"upstream_overloaded"\}\}\n\n$/);
});
