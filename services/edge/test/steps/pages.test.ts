import { expect, test } from "vitest";
import { servePages } from "../../src/steps/pages.ts";
import { callOf, run } from "./call.ts";

test.each([
  ["/", "application/json; charset=utf-8", /"interface":"\/openapi.json"/],
  ["/openapi.json", "application/json; charset=utf-8", /"openapi":"3/],
  ["/healthz", "text/plain; charset=utf-8", /^ok\n$/],
  ["/docs", "text/html; charset=utf-8", /<script src="\/docs\/start.js">/],
  ["/docs/start.js", "text/javascript; charset=utf-8", /^SwaggerUIBundle/],
])("GET %s is a page of type %s", async (path, type, body) => {
  const call = callOf({ method: "GET", path });
  expect(await run(call, servePages)).toBe(false);
  expect(call.response.getHeader("content-type")).toBe(type);
  expect(call.answer().body).toMatch(body);
});

test("the icon of the API page exists", async () => {
  const page = callOf({ method: "GET", path: "/docs" });
  await run(page, servePages);
  const [, path] = /<link rel="icon" href="([^"]+)"/.exec(page.answer().body) ?? [];
  const call = callOf({ method: "GET", path: path ?? "/none" });
  expect(await run(call, servePages)).toBe(false);
  expect(call.response.getHeader("content-type")).toBe("image/svg+xml");
});

test("HEAD /healthz has the status and the headers of GET", async () => {
  const call = callOf({ method: "HEAD", path: "/healthz" });
  expect(await run(call, servePages)).toBe(false);
  expect([call.response.statusCode, call.response.getHeader("content-length")]).toEqual([200, 3]);
});

test.each([
  ["POST", "/docs"],
  ["GET", "/v1/models"],
  ["GET", "/constructor"],
])("%s %s is not a page", async (method, path) => {
  expect(await run(callOf({ method, path }), servePages)).toBe(true);
});
