import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { readKey } from "../../src/steps/key.ts";
import { callOf, run } from "./call.ts";

const secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
const digest = createHash("sha256").update(secret).digest("hex");

test.each([
  ["POST", "/v1/chat/completions", { authorization: `Bearer ${secret}` }],
  ["POST", "/v1/messages", { "x-api-key": secret }],
  ["POST", "/v1beta/models/m:generateContent", { "x-goog-api-key": secret }],
  ["POST", `/v1beta/models/m:generateContent?key=${secret}`, {}],
  ["GET", "/v1/realtime?model=m", { "sec-websocket-protocol": `realtime, openai-insecure-api-key.${secret}` }],
])("%s %s takes its key from %j, and removes it from the query and the subprotocols", async (method, path, headers) => {
  const call = callOf({ method, path, headers });
  expect(await run(call, matchEndpoint, readKey)).toBe(true);
  const digests = [digest, createHash("sha256").update(secret).digest("base64url")];
  expect(digests).toContain(call.context.digest);
  expect(call.context.query.toString()).not.toContain(secret);
  expect(String(call.request.headers["sec-websocket-protocol"])).not.toContain(secret);
});

test("other subprotocols are passed to the service", async () => {
  const headers = { "sec-websocket-protocol": `realtime, openai-insecure-api-key.${secret}, beta` };
  const call = callOf({ method: "GET", path: "/v1/realtime?model=m", headers });
  await run(call, matchEndpoint, readKey);
  expect(call.request.headers["sec-websocket-protocol"]).toBe("realtime, beta");
});

test.each([
  ["none", {}, "invalid_api_key", /^No API key was sent; /],
  ["one without Bearer", { authorization: secret }, "invalid_api_key", /no Bearer token/],
  ["one in another client's header", { "x-goog-api-key": secret }, "invalid_api_key", /header x-goog-api-key/],
  ["one without Bearer before others", { authorization: "Bearer sk-a b" }, "invalid_api_key", /no Bearer token/],
  ["one that is too short", { authorization: "Bearer sk-wrong" }, "invalid_api_key", /8 to 250 letters, digits/],
  ["one in another format", { authorization: "Bearer pk-0123456789" }, "invalid_api_key", /a key is `sk-`/],
  ["two different ones", { authorization: `Bearer ${secret}`, "api-key": `${secret}x` }, "contradicting_api_keys", /./],
])("%s is refused", async (_, headers, code, message) => {
  await expect(run(callOf({ headers: { ...headers } }), matchEndpoint, readKey)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test("a header that is sent twice is refused, also with the same key", async () => {
  const call = callOf({ headers: { authorization: `Bearer ${secret}` } });
  call.request.rawHeaders.push("Authorization", `Bearer ${secret}`);
  await expect(run(call, matchEndpoint, readKey)).rejects.toMatchObject({ code: "contradicting_api_keys" });
});
