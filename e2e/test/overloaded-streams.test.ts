import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, hello, keys } from "./house.ts";

/** A vendor of the messages wire that is overloaded in the middle of every answer. */
const event = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const usage = { input_tokens: 3, output_tokens: 1 };
const begun = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
const answer = [
  event("message_start", { message: begun }),
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hel" } }),
  event("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
].join("");
const vendor = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
  });
});

let suite: Suite;
beforeAll(async () => {
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const address = vendor.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const at = { provider: "anthropic", baseUrl: `http://127.0.0.1:${port}` };
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
  vendor.close();
  vendor.closeAllConnections();
  await suite?.[Symbol.asyncDispose]();
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

test.each(["same", "renamed"])("clients of messages hear of it in the wire's own word: %s", async (model) => {
  const text = await streamed("/v1/messages", { ...hello(model), max_tokens: 100 });
  expect(text).toContain("Hel");
  expect(text).toMatch(/\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error".*\n\n$/);
});

test("clients of chat completions get a code that says so", async () => {
  const text = await streamed("/v1/chat/completions", hello("same"));
  expect(text).toMatch(/\n\ndata: \{"error":\{.*"code":"upstream_overloaded"\}\}\n\n$/);
});
