import { expect, test } from "vitest";
import { callOf } from "./call.ts";

test("every answer has an id", () => {
  const { context, response } = callOf();
  expect(context.requestId).toMatch(/^req_/);
  expect(response.getHeader("x-request-id")).toBe(context.requestId);
});

test("the client's id is kept if it is well-formed", () => {
  expect(callOf({ headers: { "x-request-id": "mine-1" } }).context.requestId).toBe("mine-1");
  expect(callOf({ headers: { "x-request-id": "not one\n" } }).context.requestId).toMatch(/^req_/);
});

test("the path is separated from the query", () => {
  const { path, query } = callOf({ path: "/v1/models?limit=2&key=a?b" }).context;
  expect([path, query.get("limit"), query.get("key")]).toEqual(["/v1/models", "2", "a?b"]);
});
