import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, textAnswers, textUsage, textWireOf, type ScriptedServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

const key = "sk-unproven-0123456789";

/**
 * Vendors of OpenAI's formats at custom addresses. One supports the responses wire; the others answer with an error.
 */
let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  vendor = await startScriptedServer(({ path }) => {
    const wire = textWireOf(path) ?? "chat";
    if (wire === "responses" && path.startsWith("/chats/"))
      return {
        status: 404,
        body: { error: { message: `Invalid URL (POST ${path})`, type: "invalid_request_error", param: "", code: "" } },
      };
    // The text of this error is made up.
    if (wire === "responses" && path.startsWith("/old/"))
      return { status: 400, body: { error: { message: `Unsupported path: ${path}` } } };
    return { body: textAnswers[wire]({ text: "Hi", usage: textUsage[wire](3, 3) }).whole };
  });
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"], unpriced: "pass" } },
      models: { both: { kind: "chat" }, chats: { kind: "chat" }, old: { kind: "chat" } },
      channels: ["both", "chats", "old"].map((id) => ({
        id,
        provider: "openai",
        baseUrl: `${vendor.url}/${id}/v1`,
        keys: ["k"],
        models: [id],
      })),
      accounts: { one: { balance: "10.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

/** Sends a message. Returns the status, the wires of the vendor's requests, and the dropped fields. */
async function send(model: string, more: object) {
  const before = vendor.requests.length;
  const body = { model, max_tokens: 99, messages: [{ role: "user", content: "Hi" }], ...more };
  const answer = await area.post("/v1/messages", body, key, { "anthropic-version": "2023-06-01" });
  const requestedWires = vendor.requests.slice(before).map(({ path }) => textWireOf(path));
  return [answer.status, requestedWires, answer.headers.get("x-modelgate-dropped")];
}

const search = { tools: [{ type: "web_search_20250305", name: "web_search" }] };

test("web search is sent in the wire that supports it, at an address that is not known to support the wire", async () => {
  expect(await send("both", search)).toEqual([200, ["responses"], null]);
});

test("a request that chat can express completely is sent as chat", async () => {
  expect(await send("both", {})).toEqual([200, ["chat"], null]);
});

test.each([
  ["404", "chats"],
  ["400", "old"],
])("a vendor that refuses the wire with %s is tried once, and then gets a wire that it supports", async (_, model) => {
  const dropped = "tools.web-search";
  expect(await send(model, search)).toEqual([200, ["responses", "chat"], dropped]);
  expect(await send(model, search)).toEqual([200, ["chat"], dropped]);
});
