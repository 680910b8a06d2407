import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { volcengineHeaders } from "../../src/jimeng/sign.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const request = {
  url: new URL("https://visual.volcengineapi.com/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31"),
  method: "POST",
  bodyHash: sha256('{"req_key":"jimeng_t2v_v30","prompt":"a boat"}'),
  accessKey: "AKEXAMPLE",
  secretKey: "SKEXAMPLE",
  nowMs: Date.UTC(2025, 10, 21, 4, 40, 0),
};

test("the signature of a known request", () => {
  expect(volcengineHeaders(request)).toEqual({
    "content-type": "application/json",
    "x-date": "20251121T044000Z",
    "x-content-sha256": "d31730e169738701dbaa28857b9d7ea18400d5713b26d07d4158ea595a9dc686",
    authorization:
      "HMAC-SHA256 Credential=AKEXAMPLE/20251121/cn-north-1/cv/request, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=fb991fa081a356034b56aa3b76624f566d51a975e2c8efac42a49f590e8228e6",
  });
});

test.each([
  ["the body", { bodyHash: sha256("{}") }],
  ["the query", { url: new URL("https://visual.volcengineapi.com/?Action=CVSync2AsyncGetResult&Version=2022-08-31") }],
  ["the host", { url: new URL("https://other.example/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31") }],
  ["the time", { nowMs: request.nowMs + 1_000 }],
  ["the secret", { secretKey: "ANOTHER" }],
])("a different signature if %s differs", (_, change) => {
  expect(volcengineHeaders({ ...request, ...change })["authorization"]).not.toBe(
    volcengineHeaders(request)["authorization"],
  );
});
