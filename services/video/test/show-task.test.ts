import { IncomingMessage, type IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { taskContext } from "../src/show-task.ts";

/** Returns the link to a video in the answer to a request with these headers. */
function linkFor(headers: IncomingHttpHeaders, publicUrl?: string): string {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers });
  return taskContext({ publicUrl }, { request, requestId: "req_1" }, "video_1").contentUrl;
}

const path = "/v1/videos/video_1/content";

test.each<[IncomingHttpHeaders, string | undefined, string]>([
  [{ host: "gateway.example" }, undefined, "http://gateway.example"],
  [{ host: "gateway.example", "x-forwarded-proto": "https" }, undefined, "https://gateway.example"],
  [{ host: "gateway.example", "x-forwarded-proto": "https, http" }, undefined, "https://gateway.example"],
  [{ host: "gateway.example", "x-forwarded-proto": "http" }, undefined, "http://gateway.example"],
  [{ host: "gateway.example", "x-forwarded-proto": "javascript" }, undefined, "http://gateway.example"],
  [{ host: "a b", "x-forwarded-proto": "https" }, undefined, "https://localhost"],
  [{ host: "gateway.example" }, "https://public.example/base/", "https://public.example/base"],
])("the link for %j with the public address %s is at %s", (headers, publicUrl, base) => {
  expect(linkFor(headers, publicUrl)).toBe(base + path);
});
