import { createServer, request, type Server } from "node:http";
import { once } from "node:events";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { BufferBudget } from "./buffer-budget.ts";
import { ClientGone, readBody } from "./read-body.ts";

const limits = { maxBytes: 10_000, silenceMs: 100, totalMs: 10_000 };
let totalMs = limits.totalMs;
let largest = limits.maxBytes;
let budget: BufferBudget;
let server: Server;
let port = 0;
let outcomes: unknown[] = [];

beforeAll(async () => {
  server = createServer((asked, response) => {
    readBody(asked, { ...limits, maxBytes: largest, totalMs, budget }).then(
      (body) => {
        outcomes.push(body.bytes.toString());
        body[Symbol.dispose]();
        response.end("read");
      },
      (error: unknown) => {
        outcomes.push(error);
        response.writeHead(error instanceof Failure ? error.status : 500, { connection: "close" }).end();
        asked.resume();
      },
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => server.closeAllConnections());
beforeEach(() => {
  budget = new BufferBudget(50_000);
  outcomes = [];
});

const send = async (body: Uint8Array | string, headers: Record<string, string> = {}): Promise<number> =>
  (
    await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers,
    })
  ).status;

describe("compressions", () => {
  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("%s is read, its bomb is refused at the limit, its ruin is told", async (encoding, compress) => {
    const headers = { "content-encoding": encoding };
    expect(await send(compress(Buffer.from("hello")), headers)).toBe(200);
    expect(outcomes).toEqual(["hello"]);
    expect(await send(compress(Buffer.alloc(5_000_000)), headers)).toBe(413);
    expect(await send("this is nothing of the kind", headers)).toBe(400);
    expect(budget.taken).toBe(0);
  });

  test("one that is not known is 415", async () => {
    expect(await send("x", { "content-encoding": "lzma" })).toBe(415);
  });
});

test("the limit counts, whether the length is declared or not", async () => {
  expect(await send("x".repeat(10_000))).toBe(200);
  expect(await send("x".repeat(10_001))).toBe(413);
  const asked = request({ port, method: "POST", headers: { "transfer-encoding": "chunked" } });
  asked.write("x".repeat(6_000));
  asked.end("x".repeat(6_000));
  const [response] = await once(asked, "response");
  expect(response.statusCode).toBe(413);
  response.destroy();
  expect(budget.taken).toBe(0);
});

test("a sender that falls silent is 408, and its bytes are given back", async () => {
  const asked = request({ port, method: "POST", headers: { "content-length": "100" } });
  asked.on("error", () => undefined);
  asked.write("half");
  const [response] = await once(asked, "response");
  expect(response.statusCode).toBe(408);
  expect(budget.taken).toBe(0);
  asked.destroy();
});

test("a sender that drips for ever is 408 as well", async () => {
  totalMs = 250;
  const asked = request({ port, method: "POST", headers: { "transfer-encoding": "chunked" } });
  asked.on("error", () => undefined);
  const drip = setInterval(() => asked.write("x"), 20);
  const [response] = await once(asked, "response");
  clearInterval(drip);
  totalMs = limits.totalMs;
  expect(response.statusCode).toBe(408);
  expect(budget.taken).toBe(0);
  asked.destroy();
});

test("a sender that leaves is told apart from one that is wrong", async () => {
  const asked = request({ port, method: "POST", headers: { "content-length": "100" } });
  asked.on("error", () => undefined);
  asked.write("half");
  await once(server, "request");
  asked.destroy();
  while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(outcomes[0]).toBeInstanceOf(ClientGone);
  expect(budget.taken).toBe(0);
});

test("what all bodies together may hold is bounded", async () => {
  budget = new BufferBudget(5_000);
  expect(await send("x".repeat(5_001))).toBe(503);
  expect(await send("x".repeat(5_000))).toBe(200);
  expect(budget.taken).toBe(0);
});

test("a large length that is only declared is held against that bound too", async () => {
  largest = 1_000_000;
  const asked = request({ port, method: "POST", headers: { "content-length": "900000" } });
  asked.on("error", () => undefined);
  asked.flushHeaders();
  const [response] = await once(asked, "response");
  largest = limits.maxBytes;
  expect(response.statusCode).toBe(503);
  expect(budget.taken).toBe(0);
  asked.destroy();
});
