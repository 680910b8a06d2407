import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { cors } from "../../src/middleware/cors.ts";

/** What an answer to a request from an origin says of who may read it. */
function heads(origins: string, origin?: string) {
  const request = new IncomingMessage(new Socket());
  if (origin !== undefined) request.headers.origin = origin;
  const response = new ServerResponse(request);
  expect(cors(origins)(request, response)).toBe(false);
  return [response.getHeader("access-control-allow-origin"), response.getHeader("vary")];
}

const page = "https://page.example";

test.each([
  ["*", undefined, undefined, undefined],
  ["*", page, "*", undefined],
  [`https://other.example, ${page}`, page, page, "origin"],
  ["https://other.example", page, undefined, "origin"],
  // A cache must not show this answer to a page.
  [page, undefined, undefined, "origin"],
])("where %s may call, a request from %s gets %s, and varies by %s", (origins, origin, allowed, vary) => {
  expect(heads(origins, origin)).toEqual([allowed, vary]);
});

test("a page may read every limit, and how a video that it reads in ranges goes on", () => {
  const request = new IncomingMessage(new Socket());
  request.headers.origin = page;
  const response = new ServerResponse(request);
  cors("*")(request, response);
  const exposed = String(response.getHeader("access-control-expose-headers")).split(", ");
  for (const name of ["request-id", "anthropic-ratelimit-tokens-remaining", "content-range", "etag"])
    expect(exposed).toContain(name);
});
