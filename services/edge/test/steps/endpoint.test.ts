import { expect, test } from "vitest";
import { matchEndpoint, requireImplemented } from "../../src/steps/endpoint.ts";
import { callOf, run } from "./call.ts";

test("an endpoint is found with its parameters and the format of its errors", async () => {
  const call = callOf({ path: "/v1beta/models/m:generateContent?key=sk-a" });
  expect(await run(call, matchEndpoint)).toBe(true);
  expect(call.context).toMatchObject({ id: "generateContent", format: "gamma", params: { model: "m" } });
});

test.each([
  ["POST", "/v1/v1/chat/completions", { code: "invalid_url_double_v1" }],
  ["GET", "/v1/chat/completions", { code: "method_not_allowed", message: "This path supports POST, not GET." }],
  ["POST", "/v1/nothing", { code: "unknown_url", message: "There is no POST /v1/nothing." }],
  ["POST", "/chat/completions", { code: "unknown_url", message: expect.stringContaining("add /v1 to the base") }],
])("%s %s is refused: %j", async (method, path, failure) => {
  await expect(run(callOf({ method, path }), matchEndpoint)).rejects.toMatchObject(failure);
});

test("the error format of an unknown path follows its client", async () => {
  const call = callOf({ path: "/v1/messages/nothing" });
  await expect(run(call, matchEndpoint)).rejects.toMatchObject({ code: "unknown_url" });
  expect(call.context.format).toBe("alpha");
});

test.each([
  ["POST", "/v1/messages", {}, true],
  ["GET", "/v1/models", { "anthropic-version": "2023-06-01" }, true],
  ["GET", "/v1/models", {}, false],
])(
  "%s %s with headers %j: Anthropic's client finds the request id in its header: %s",
  async (method, path, headers, isSet) => {
    const call = callOf({ method, path, headers });
    await run(call, matchEndpoint);
    expect(call.response.getHeader("request-id")).toBe(isSet ? call.context.requestId : undefined);
  },
);

test("an endpoint that is only declared gets 501", async () => {
  await expect(run(callOf({ path: "/v1/fine-tunes" }), matchEndpoint, requireImplemented)).rejects.toMatchObject({
    code: "api_not_implemented",
  });
  expect(await run(callOf(), matchEndpoint, requireImplemented)).toBe(true);
});
