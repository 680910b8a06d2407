import { describe, expect, test } from "vitest";
import { asFailure, Failure } from "../../src/failures/failure.ts";
import { failures, type FailureCode } from "../../src/failures/registry.ts";
import { failureHeaders, renderFailure } from "../../src/failures/render.ts";

const rateLimitFailure = new Failure("rate_limit_exceeded", "60 requests per minute are allowed.", {
  retryAfterSeconds: 2.2,
});
const invalidValueFailure = new Failure("invalid_value", "must be an integer", { param: "max_tokens" });

describe("one failure in every format", () => {
  test("common", () => {
    expect(renderFailure("common", invalidValueFailure, "r1")).toEqual({
      error: {
        message: "must be an integer",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "invalid_value",
      },
    });
  });

  test("alpha", () => {
    expect(renderFailure("alpha", rateLimitFailure, "r1")).toEqual({
      type: "error",
      error: { type: "rate_limit_error", message: "60 requests per minute are allowed." },
      request_id: "r1",
    });
  });

  test("gamma carries the field, the delay and the refused key as details", () => {
    expect(renderFailure("gamma", invalidValueFailure, "r1")).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", details: [{ fieldViolations: [{ field: "max_tokens" }] }] },
    });
    expect(renderFailure("gamma", rateLimitFailure, "r1")).toMatchObject({
      error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "2.2s" }] },
    });
    expect(renderFailure("gamma", new Failure("invalid_api_key"), "r1")).toMatchObject({
      error: { code: 401, details: [{ reason: "API_KEY_INVALID" }] },
    });
  });

  test("task and epsilon add the fields that their clients read to the common error", () => {
    expect(renderFailure("task", invalidValueFailure, "r1")).toMatchObject({
      code: "invalid_value",
      message: "must be an integer",
      error: { param: "max_tokens" },
    });
    expect(renderFailure("epsilon", invalidValueFailure, "r1")).toMatchObject({
      code: 400,
      data: null,
      request_id: "r1",
      error: { code: "invalid_value" },
    });
  });
});

test("a vendor's code and status are passed on", () => {
  const refused = new Failure("upstream_rejected", "context too long", {
    vendorCode: "context_length_exceeded",
    status: 422,
  });
  expect(refused.status).toBe(422);
  expect(renderFailure("common", refused, "r")).toMatchObject({ error: { code: "context_length_exceeded" } });
});

test("a vendor's refusal because of the size has Anthropic's type for it, and the vendor's details", () => {
  const details = { error_code: "request_body_too_large_after_decoding" };
  const refused = new Failure("upstream_rejected", "too large", { status: 413, details });
  expect(renderFailure("alpha", refused, "r")).toMatchObject({ error: { type: "request_too_large", details } });
});

test("headers give the time of a retry, and whether to retry", () => {
  expect(failureHeaders(rateLimitFailure)).toEqual({ "retry-after": "3" });
  expect(failureHeaders(new Failure("insufficient_quota"))).toEqual({ "x-should-retry": "false" });
  expect(failureHeaders(new Failure("method_not_allowed", undefined, { allow: ["GET", "POST"] }))).toMatchObject({
    allow: "GET, POST",
  });
  expect(failureHeaders(new Failure("no_available_channel"))).toEqual({ "retry-after": "1" });
});

test.each([
  ["rate_limit_exceeded", 60, { "retry-after": "60" }],
  ["rate_limit_exceeded", 61, { "retry-after": "61", "x-should-retry": "false" }],
  ["upstream_rate_limited", 61, { "retry-after": "61" }],
] as const)("%s with a wait of %d s has the headers %j", (code, retryAfterSeconds, expected) => {
  expect(failureHeaders(new Failure(code, undefined, { retryAfterSeconds }))).toEqual(expected);
});

test("any other error becomes internal_error without its message", () => {
  const cause = new Error("password=hunter2");
  const failure = asFailure(cause);
  expect(failure.code).toBe("internal_error");
  expect(failure.cause).toBe(cause);
  expect(JSON.stringify(renderFailure("common", failure, "r"))).not.toContain("hunter2");
});

test.each(Object.keys(failures) as FailureCode[])("%s has a complete row", (code) => {
  const { status, message, type, alpha, gamma } = failures[code];
  expect(status).toBeGreaterThanOrEqual(400);
  expect([message, type, alpha, gamma].every((word) => word.length > 0)).toBe(true);
});
