import { describe, expect, test } from "vitest";
import { cleanText } from "../../src/clean.ts";
import { openai } from "../../src/openai/index.ts";

test.each([
  ["https://vendor.example/v1", "https://vendor.example/v1/chat/completions"],
  ["https://vendor.example/v1/", "https://vendor.example/v1/chat/completions"],
  ["http://127.0.0.1:9/at/x/openai/v1", "http://127.0.0.1:9/at/x/openai/v1/chat/completions"],
])("a call with the base URL %s goes to %s", (base, address) => {
  const body = Buffer.from("{}");
  const call = {
    act: "answer",
    baseUrl: base,
    key: "k",
    nowMs: 0,
    wire: "chat",
    model: "m",
    stream: false,
    body,
  } as const;
  expect(openai.request(call)).toMatchObject({ url: { href: address }, method: "POST", body });
});

describe("the meaning of an error", () => {
  const error = (code: string | undefined, message = "no") =>
    JSON.stringify({ error: { message, code, param: "messages" } });
  test.each([
    [401, error("invalid_api_key"), "upstream_auth_failed", "key", true],
    [403, "", "upstream_error", "channel", true],
    [402, "", "upstream_auth_failed", "key", true],
    [429, error("insufficient_quota"), "upstream_auth_failed", "key", true],
    [429, error("rate_limit_exceeded"), "upstream_rate_limited", "key", true],
    [400, error("context_length_exceeded"), "upstream_rejected", "request", false],
    [422, error(undefined), "upstream_rejected", "request", false],
    [413, "<html>", "upstream_rejected", "request", false],
    [404, error("model_not_found"), "upstream_error", "model", true],
    [403, error("model_not_found"), "upstream_error", "model", true],
    [404, "<html>", "upstream_error", "wire", true],
    [404, error("unknown_url"), "upstream_error", "wire", true],
    [404, error(undefined, "The model gpt-9 is not here"), "upstream_error", "model", true],
    [405, "", "upstream_error", "wire", true],
    [408, "", "upstream_timeout", "channel", true],
    [504, "", "upstream_timeout", "channel", true],
    [500, "", "upstream_error", "channel", true],
    [529, "", "upstream_overloaded", "channel", true],
    [302, "", "upstream_error", "channel", true],
  ])("%i %s is %s, counted against the %s", (status, body, code, blame, retryable) => {
    expect(openai.failureOf(status, body)).toMatchObject({ code, blame, retryable });
  });

  test.each([
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  ])("an endpoint's refusal of the request: %s", (message) => {
    expect(openai.failureOf(400, error(undefined, message))).toMatchObject({
      code: "upstream_rejected",
      message,
      blame: "request",
      isAboutEndpoint: true,
    });
  });

  test("a message that only names another endpoint is not such a refusal", () => {
    const meaning = openai.failureOf(400, error("invalid_value", "Unsupported value of n in /v1/chat/completions."));
    expect(meaning).not.toHaveProperty("isAboutEndpoint");
  });

  test("the vendor's message and field are passed on if the client's input was refused", () => {
    expect(openai.failureOf(400, error("too_long", "at most 10"))).toMatchObject({
      message: "at most 10",
      vendorCode: "too_long",
      param: "messages",
    });
  });
});

test.each([
  ["see https://api.vendor.example/x?y=1 now", "see [address] now"],
  ["host 10.0.0.7:8080 refused", "host [address] refused"],
  ["key sk-abcdef123456 is wrong", "key [key] is wrong"],
  ["Bearer abc.def-ghi", "[key]"],
  ["bearer abc.def-ghi", "[key]"],
  ["dial tcp [::1]:8080: refused", "dial tcp [address]: refused"],
  ["vllm-0.models.svc.internal fell over", "[address] fell over"],
  ["localhost:8000 is down", "[address] is down"],
  ["max_tokens:4096 is too much", "max_tokens:4096 is too much"],
  ["AIzaSyA1234567890", "[key]"],
  ["the key jina_0123456789abcdef is wrong", "the key [key] is wrong"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJBSyJ9.c2ln has expired", "token [key] has expired"],
  ["dial tcp fe80::1: refused", "dial tcp [address]: refused"],
  ["from 2001:db8:0:0:0:0:0:1 to ::1", "from [address] to [address]"],
  ["at 12:30:45 it said Foo::bar, a:b", "at 12:30:45 it said Foo::bar, a:b"],
  ["a".repeat(5_000), "a".repeat(2_000)],
])("%s is shown without secrets", (message, shown) => {
  expect(cleanText(message)).toBe(shown);
});
