import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpServer, type TestServer } from "@modelgate/testkit";
import { withPages } from "../../src/console/pages.ts";

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-pages-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "assets/app-1a2b.js"), "run()");
  writeFileSync(join(folder, "assets/app-1a2b.js.gz"), gzipSync("run()"));
  server = await startHttpServer(withPages((_, response) => response.end("api"), "https://gate.example", folder));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.url}${path}`, init);

test("every page has an address, also one with a dot; files outside the build are not found", async () => {
  for (const path of [
    "/console/",
    "/console/overview?span=7d",
    "/console/accounts/acme.example",
    "/console/calls/a.b",
  ]) {
    const answer = await get(path);
    expect([answer.status, await answer.text()], path).toEqual([200, expect.stringContaining("<title>page")]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const part of [
      "connect-src 'self' https://gate.example wss://",
      "script-src 'self';",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(part);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  }
  for (const path of ["/console/assets/absent.js", "/console/assets/../../package.json"])
    expect(await (await get(path)).text(), path).not.toContain("modelgate");
  expect((await get("/console/assets/absent.js")).status).toBe(404);
  expect((await get("/console/", { method: "POST" })).status).toBe(404);
  expect(await (await get("/accounts")).text()).toBe("api");
});

test("a file is sent with the browser's best compression, compressed once, and cached as immutable", async () => {
  const small = await get("/console/assets/app-1a2b.js", { headers: { "accept-encoding": "br, gzip" } });
  expect([small.headers.get("content-encoding"), await small.text()]).toEqual(["gzip", "run()"]);
  expect(small.headers.get("cache-control")).toContain("immutable");
  const etag = small.headers.get("etag") ?? "";
  expect((await get("/console/assets/app-1a2b.js", { headers: { "if-none-match": etag } })).status).toBe(304);
  rmSync(join(folder, "assets/app-1a2b.js"));
  const plain = await get("/console/assets/app-1a2b.js", { headers: { "accept-encoding": "identity" } });
  expect([plain.status, await plain.text()]).toEqual([200, "run()"]);
});
