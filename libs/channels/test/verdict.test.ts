import { expect, test } from "vitest";
import { Failure, type FailureCode } from "@modelgate/contracts";
import type { VendorFailure } from "@modelgate/providers";
import { ProxyFailed, proxyTimeoutCode } from "../src/proxy.ts";
import { VendorRefusal } from "../src/refused.ts";
import { blameOf, vendorMessageOf } from "../src/verdict.ts";

const errorWithCode = (code: string): Error => Object.assign(new Error(code), { code });
const failure = (code: FailureCode, cause?: Error): Failure => new Failure(code, undefined, { cause });
const refused = (meaning: Partial<VendorFailure>, retryAfterMs?: number): VendorRefusal =>
  new VendorRefusal({ code: "upstream_error", retryable: true, blame: "channel", ...meaning }, 500, retryAfterMs);

test.each<[string, unknown, object | undefined]>([
  ["an answer above the gateway's maximum", failure("answer_too_large"), undefined],
  ["a gateway without memory for the answer", failure("server_overloaded"), undefined],
  ["a request that the vendor's wire cannot express", failure("unsupported_parameter"), undefined],
  ["a request that the vendor refuses", refused({ blame: "request", code: "upstream_rejected" }), undefined],
  ["no file descriptors left", failure("upstream_error", errorWithCode("EMFILE")), undefined],
  ["no ports left", failure("upstream_error", errorWithCode("EADDRNOTAVAIL")), undefined],
  [
    "a refused connection",
    failure("upstream_error", errorWithCode("ECONNREFUSED")),
    { of: "channel", isNeverClientFault: true },
  ],
  [
    "a proxy that refuses the target",
    failure("upstream_proxy_failed", new ProxyFailed(new URL("http://p.example"), "answered 403")),
    { of: "channel", reason: "upstream_proxy_failed", isNeverClientFault: true },
  ],
  [
    "a proxy that does not answer",
    failure("upstream_proxy_failed", new ProxyFailed(new URL("http://p.example"), "is silent", proxyTimeoutCode)),
    { of: "channel", reason: "upstream_proxy_failed", isNeverClientFault: false },
  ],
  [
    "no file descriptors left for the proxy",
    failure("upstream_proxy_failed", new ProxyFailed(new URL("http://p.example"), "cannot be reached", "EMFILE")),
    undefined,
  ],
  [
    "a name that does not exist",
    failure("upstream_error", errorWithCode("ENOTFOUND")),
    { of: "channel", isNeverClientFault: true },
  ],
  [
    "an expired certificate",
    failure("upstream_error", errorWithCode("CERT_HAS_EXPIRED")),
    { isNeverClientFault: true },
  ],
  [
    "a connection that takes too long",
    failure("upstream_timeout", errorWithCode("UND_ERR_CONNECT_TIMEOUT")),
    { isNeverClientFault: false },
  ],
  [
    "a busy resolver",
    failure("upstream_error", errorWithCode("EAI_AGAIN")),
    { of: "channel", isNeverClientFault: false },
  ],
  [
    "an interrupted connection",
    failure("upstream_error", errorWithCode("ECONNRESET")),
    { of: "channel", isNeverClientFault: false },
  ],
  ["a vendor's error", refused({}), { of: "channel", reason: "upstream_error", retryAfterMs: undefined }],
  ["an overload with retry-after", refused({}, 5_000), { of: "channel", retryAfterMs: 5_000 }],
  ["an unknown model", refused({ blame: "model" }), { of: "model" }],
  [
    "a rate limit",
    refused({ blame: "key", code: "upstream_rate_limited" }, 7_000),
    { of: "key", retryAfterMs: 7_000, isRefusal: false },
  ],
  [
    "a refused key",
    refused({ blame: "key", code: "upstream_auth_failed", vendorCode: "invalid_api_key" }),
    { of: "key", isRefusal: true, reason: "invalid_api_key" },
  ],
])("%s", (_, error, expected) => {
  if (expected === undefined) expect(blameOf(error)).toBeUndefined();
  else expect(blameOf(error)).toMatchObject(expected);
});

test("only a refusal because of the request has the vendor's details", () => {
  const details = { error_code: "image_dimensions_too_large" };
  const detailCode = details.error_code;
  expect(refused({ blame: "request", detailCode }).failure).toMatchObject({ details });
  expect(refused({ detailCode }).failure.details).toBeUndefined();
});

const refusalWith = (message: string): VendorRefusal =>
  new VendorRefusal({ code: "upstream_error", retryable: true, blame: "channel" }, 500, undefined, { message });

test.each<[string, unknown, string | undefined]>([
  ["a long text", refusalWith("x".repeat(5_000)), "x".repeat(300)],
  ["a key", refusalWith("Bearer sk-canary is wrong, sk-canary"), "Bearer [redacted] is wrong, [redacted]"],
  ["a key at the cut of the text", refusalWith(`${"x".repeat(296)}sk-canary`), `${"x".repeat(296)}[red`],
  ["terminal escapes and line breaks", refusalWith("\u001b[31mred\u0007\r\nsecond\u009b2J"), "[31mred second 2J"],
  ["direction marks", refusalWith("safe\u202Eexe.\u2066txt"), "safe exe. txt"],
  [
    "a connection's error",
    failure("upstream_error", new Error("connect to sk-canary\nfailed")),
    "connect to [redacted] failed",
  ],
  ["a header", refusalWith("x-team: header-canary is unknown to v2"), "x-team: [redacted] is unknown to v2"],
  ["no words", failure("upstream_timeout"), undefined],
])("the message for operators about %s is short, on one line and without secrets", (_, error, expected) => {
  const channel = { baseUrl: "https://v.example", headers: { "x-team": "header-canary", "x-version": "v2" } };
  expect(vendorMessageOf(error, { channel, key: { secret: "sk-canary" } })).toBe(expected);
});
