import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startScriptedServer, type Script, type ScriptedServer } from "@modelgate/testkit";
import { readText } from "../../src/refused.ts";
import { NotFetched } from "../../src/remote/not-fetched.ts";
import { openRemoteStreams, type RemoteStreamRequest } from "../../src/remote/remote-streams.ts";

const megabyte = 1024 * 1024;
const video = Buffer.alloc(64 * megabyte, "video");
let server: ScriptedServer;
let port = 0;
let hits: string[] = [];
let written = 0;

const site: Script = ({ url, path, headers }, response) => {
  const { host = "", range = "", authorization = "" } = headers;
  hits.push([host.replace(/:\d+$/, ""), path, range, authorization].join(" ").trimEnd());
  const to = new URL(url, "http://host").searchParams.get("to");
  if (to !== null) return { status: 302, headers: { location: to } };
  if (path !== "/large") return { status: 206, headers: { "content-type": "video/mp4" }, body: "part" };
  sendSlowly(response);
  return undefined;
};

/** Writes a large body as fast as the connection accepts it. */
function sendSlowly(response: ServerResponse): void {
  while (written < video.length && !response.destroyed) {
    const piece = video.subarray(written, written + 64 * 1024);
    written += piece.length;
    if (response.write(piece)) continue;
    response.once("drain", () => sendSlowly(response));
    return;
  }
  response.end();
}

beforeAll(async () => {
  server = await startScriptedServer(site);
  ({ port } = server);
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => {
  hits = [];
  written = 0;
});

/** Streams that resolve every name to this machine. Only trusted origins may be reached. */
const streams = openRemoteStreams({ resolve: async () => ["127.0.0.1"] });
const ask = (host: string, path: string): RemoteStreamRequest => ({
  url: `${host.includes("://") ? "" : "http://"}${host}${/:\d+$/.test(host) ? "" : `:${port}`}${path}`,
  headers: { range: "bytes=0-3" },
  trustedOrigin: `http://vendor.example:${port}`,
  proxy: undefined,
  timeoutMs: 5_000,
  signal: new AbortController().signal,
});

test("returns a range of a vendor's file, through a redirect", async () => {
  await using stream = await streams.open(ask("vendor.example", `/old?to=http://vendor.example:${port}/new`));
  expect([stream.answer.status, await readText(stream.answer, 100)]).toEqual([206, "part"]);
  expect(hits).toEqual(["vendor.example /old bytes=0-3", "vendor.example /new bytes=0-3"]);
});

test("a key is sent only to the address's origin, also after a redirect within it", async () => {
  const redirect = encodeURIComponent(`http://VENDOR.example:${port}/stored?to=http://files.example:${port}/file`);
  const path = `/content?to=${redirect}`;
  const permissiveStreams = openRemoteStreams({ resolve: async () => ["127.0.0.1"], isAllowed: () => true });
  const secretHeaders = { authorization: "Bearer key" };
  await using stream = await permissiveStreams.open({ ...ask("vendor.example", path), secretHeaders });
  expect(stream.answer.status).toBe(206);
  expect(hits).toEqual([
    "vendor.example /content bytes=0-3 Bearer key",
    "vendor.example /stored bytes=0-3 Bearer key",
    "files.example /file bytes=0-3",
  ]);
});

test.each([
  ["a host of the operator's own network", "inner.example", "/file"],
  ["a private address", "169.254.169.254", "/file"],
  ["another port of the vendor's host", "vendor.example:1", "/file"],
  ["another scheme of the vendor's host", "https://vendor.example", "/file"],
  ["a redirect to another port of it", "vendor.example", "/file?to=http://vendor.example:1/secret"],
  ["a redirect to a private host", "vendor.example", "/file?to=http://inner.example/secret"],
  ["a redirect to another scheme", "vendor.example", "/file?to=file:///etc/passwd"],
  ["endless redirects", "vendor.example", "/file?to=/file%3Fto=/file"],
])("%s is not followed", async (_, host, path) => {
  const endless = path === "/file?to=/file%3Fto=/file" ? "/loop?to=?to=%3Fto=%253Fto=%25253Fto=x" : path;
  await expect(streams.open(ask(host, endless))).rejects.toThrow(NotFetched);
  expect(hits.filter((hit) => hit.includes("inner.example") || hit.includes("169.254"))).toEqual([]);
});

test("a reader that pauses also pauses the sender; one that disconnects ends it", async () => {
  await using stream = await streams.open(ask("vendor.example", "/large"));
  const { answer } = stream;
  const stopped = Promise.withResolvers<void>();
  const interrupted = Promise.withResolvers<Error>();
  let receivedBytes = 0;
  answer.pipe({
    data(chunk) {
      receivedBytes += chunk.length;
      answer.pause();
      stopped.resolve();
    },
    end: () => stopped.reject(new Error("the complete body arrived")),
    fail: interrupted.resolve,
  });
  await stopped.promise;
  // The sender stops when the socket buffers are full.
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(written).toBeLessThan(32 * megabyte);
  expect(receivedBytes).toBeLessThan(megabyte);
  answer.abort();
  expect(await interrupted.promise).toBeInstanceOf(Error);
});
