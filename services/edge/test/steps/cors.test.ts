import { describe, expect, test } from "vitest";
import { headers } from "@modelgate/contracts";
import { cors, checkOrigin } from "../../src/steps/cors.ts";
import { callOf, run } from "./call.ts";

const page = "https://page.example";
const from = (origin?: string) => (origin === undefined ? {} : { headers: { origin } });

test.each([
  ["*", undefined, undefined, undefined],
  ["*", page, "*", undefined],
  [`https://other.example, ${page}`, page, page, "origin"],
  ["https://other.example", page, undefined, "origin"],
  // A cache must not return this answer to a page.
  [page, undefined, undefined, "origin"],
])("with %s allowed, a request from %s gets %s, and varies by %s", async (origins, at, allowed, vary) => {
  const call = callOf(from(at));
  expect(await run(call, cors(origins))).toBe(true);
  expect(["access-control-allow-origin", "vary"].map((name) => call.response.getHeader(name))).toEqual([allowed, vary]);
});

test("a page may read the gateway's headers, and those of limits and of ranges", async () => {
  const call = callOf(from(page));
  await run(call, cors("*"));
  const exposed = String(call.response.getHeader("access-control-expose-headers")).split(", ");
  const { caller: _, strict: __, tags: ___, traceparent: ____, ...ofAnswers } = headers;
  expect(exposed).toEqual(expect.arrayContaining(Object.values(ofAnswers)));
  for (const name of ["request-id", "anthropic-ratelimit-tokens-remaining", "content-range", "etag"])
    expect(exposed).toContain(name);
});

test("a preflight is answered without a key", async () => {
  const call = callOf({ method: "OPTIONS", headers: { origin: page, "access-control-request-headers": "x-a" } });
  expect(await run(call, cors("*"))).toBe(false);
  expect(call.answer()).toEqual({ status: 204, body: "" });
});

describe("a WebSocket", () => {
  test.each([undefined, page])("from %s is accepted if it may call", async (at) => {
    expect(await run(callOf({ ...from(at), isUpgrade: true }), checkOrigin(page))).toBe(true);
  });

  test("from a page of another origin is refused, and a call from it is not", async () => {
    const elsewhere = from("https://evil.example");
    await expect(run(callOf({ ...elsewhere, isUpgrade: true }), checkOrigin(page))).rejects.toMatchObject({
      code: "origin_not_allowed",
    });
    expect(await run(callOf(elsewhere), checkOrigin(page))).toBe(true);
  });
});
