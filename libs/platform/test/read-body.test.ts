import { IncomingMessage, request } from "node:http";
import { Socket } from "node:net";
import { once } from "node:events";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { startHttpServer, until, type TestServer } from "@modelgate/testkit";
import { BufferBudget } from "../src/buffer-budget.ts";
import { ClientDisconnected, readBody, type BodyLimits } from "../src/read-body.ts";

const limits = { maxBytes: 10_000, silenceMs: 10_000, totalMs: 10_000, graceMs: 10_000, floorBytesPerSecond: 1_024 };
let limitChanges: Partial<BodyLimits> = {};
let budget: BufferBudget;
let server: TestServer;
let port = 0;
let outcomes: unknown[] = [];

beforeAll(async () => {
  server = await startHttpServer((pending, response) => {
    const [accountId = "", tokenId = ""] = String(pending.headers["x-holder"] ?? "a t").split(" ");
    readBody(pending, { ...limits, budget, ...limitChanges }, { accountId, tokenId }).then(
      (body) => {
        outcomes.push(body.bytes.toString());
        body[Symbol.dispose]();
        response.end("read");
      },
      (error: unknown) => {
        outcomes.push(error);
        response.writeHead(error instanceof Failure ? error.status : 500, { connection: "close" }).end();
        pending.resume();
      },
    );
  });
  ({ port } = server);
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => {
  budget = new BufferBudget(50_000);
  outcomes = [];
  limitChanges = {};
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
  ])("%s is decompressed, a bomb is refused at the limit, and corruption is reported", async (encoding, compress) => {
    const headers = { "content-encoding": encoding };
    expect(await send(compress(Buffer.from("hello")), headers)).toBe(200);
    expect(outcomes).toEqual(["hello"]);
    expect(await send(compress(Buffer.alloc(5_000_000)), headers)).toBe(413);
    expect(await send("this is nothing of the kind", headers)).toBe(400);
    expect(budget.usedBytes).toBe(0);
  });

  test("an unknown encoding gets 415", async () => {
    expect(await send("x", { "content-encoding": "lzma" })).toBe(415);
  });
});

test("the limit applies with and without a declared length", async () => {
  expect(await send("x".repeat(10_000))).toBe(200);
  expect(await send("x".repeat(10_001))).toBe(413);
  const declared = startUpload("a t", 10_001, "x");
  expect(await declared.status).toBe(413);
  declared.pending.destroy();
  const pending = request({ port, method: "POST", headers: { "transfer-encoding": "chunked" } });
  pending.write("x".repeat(6_000));
  await until("the first part to be read", () => budget.usedBytes === 6_000);
  pending.end("x".repeat(6_000));
  const [response] = await once(pending, "response");
  expect(response.statusCode).toBe(413);
  response.destroy();
  expect(budget.usedBytes).toBe(0);
});

test("a sender that stops gets 408, and its bytes are released", async () => {
  limitChanges = { silenceMs: 100 };
  const pending = request({ port, method: "POST", headers: { "content-length": "100" } });
  pending.on("error", () => undefined);
  pending.write("half");
  const [response] = await once(pending, "response");
  expect(response.statusCode).toBe(408);
  expect(budget.usedBytes).toBe(0);
  pending.destroy();
});

test("a sender that is endlessly slow gets 408", async () => {
  limitChanges = { totalMs: 250, floorBytesPerSecond: 0 };
  const pending = request({ port, method: "POST", headers: { "transfer-encoding": "chunked" } });
  pending.on("error", () => undefined);
  const drip = setInterval(() => pending.write("x"), 20);
  const [response] = await once(pending, "response");
  clearInterval(drip);
  expect(response.statusCode).toBe(408);
  expect(budget.usedBytes).toBe(0);
  pending.destroy();
});

test("a sender that disconnects is distinguished from one with an invalid body", async () => {
  const pending = request({ port, method: "POST", headers: { "content-length": "100" } });
  pending.on("error", () => undefined);
  pending.write("half");
  await once(server.server, "request");
  pending.destroy();
  while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(outcomes[0]).toBeInstanceOf(ClientDisconnected);
  expect(budget.usedBytes).toBe(0);
});

test("the bytes of all bodies together are limited", async () => {
  budget = new BufferBudget(5_000);
  expect(await send("x".repeat(5_001))).toBe(503);
  expect(await send("x".repeat(5_000))).toBe(200);
  expect(budget.usedBytes).toBe(0);
});

/** Sends the beginning of a request. `status` is the status of its answer. */
function startUpload(holder: string, length: number, part: string) {
  const pending = request({ port, method: "POST", headers: { "content-length": String(length), "x-holder": holder } });
  pending.on("error", () => undefined);
  pending.write(part);
  const status = once(pending, "response").then(([response]): unknown => response.statusCode);
  status.catch(() => undefined);
  return { pending, status };
}

test("a declared length alone uses nothing of the limit", async () => {
  limitChanges = { maxBytes: 1_000_000 };
  const pending = Array.from({ length: 8 }, () => startUpload("greedy t", 900_000, "x"));
  await expect.poll(() => budget.usedBytes).toBe(8);
  expect(await send("x".repeat(10_000))).toBe(200);
  for (const each of pending) each.pending.destroy();
  await expect.poll(() => budget.usedBytes).toBe(0);
});

test("a body below the minimum rate gets 408, and the error names the rate", async () => {
  limitChanges = { graceMs: 100, floorBytesPerSecond: 1_000_000 };
  const { pending, status } = startUpload("a t", 5_000, "x");
  const drip = setInterval(() => pending.write("x"), 20);
  expect(await status).toBe(408);
  clearInterval(drip);
  expect(outcomes[0]).toMatchObject({ code: "request_timeout", message: expect.stringContaining("1000000 bytes") });
  expect(budget.usedBytes).toBe(0);
});

test("a full budget aborts the newest body of the account that holds the most, and accepts the other account's", async () => {
  budget = new BufferBudget(20_000);
  const first = startUpload("greedy t", 10_000, "x".repeat(8_000));
  await expect.poll(() => budget.usedBytes).toBe(8_000);
  const second = startUpload("greedy t", 10_000, "x".repeat(9_000));
  await expect.poll(() => budget.usedBytes).toBe(17_000);
  expect(await send("x".repeat(6_000), { "x-holder": "modest t" })).toBe(200);
  expect(await second.status).toBe(503);
  first.pending.end("x".repeat(2_000));
  expect(await first.status).toBe(200);
  expect(budget.usedBytes).toBe(0);
});

test("bytes arrive complete, for any length and any chunks", async () => {
  limitChanges = { maxBytes: 3_000_000 };
  budget = new BufferBudget(5_000_000);
  for (const size of [0, 1, 16_384, 16_385, 100_001, 2_000_003]) {
    const body = Array.from({ length: size }, (_, at) => String.fromCharCode(97 + (at % 23))).join("");
    expect(await send(body)).toBe(200);
    expect(await send(gzipSync(body), { "content-encoding": "gzip" })).toBe(200);
    expect(outcomes.splice(0).every((read) => read === body)).toBe(true);
  }
  expect(budget.usedBytes).toBe(0);
});

describe("a body that has arrived completely", () => {
  const holder = { accountId: "a", tokenId: "t" };
  const received = (...chunks: readonly string[]): IncomingMessage => {
    const message = new IncomingMessage(new Socket());
    for (const chunk of chunks) message.push(chunk);
    message.push(null);
    message.complete = true;
    return message;
  };

  test.each([
    ["no bytes", []],
    ["one chunk", ["hello"]],
    ["several chunks", ["hel", "lo"]],
  ])("%s: it is returned, and uses memory until its disposal", async (_, chunks) => {
    const body = await readBody(received(...chunks), { ...limits, budget }, holder);
    expect(body.bytes.toString()).toBe(chunks.join(""));
    expect(budget.usedBytes).toBe(body.bytes.length);
    body[Symbol.dispose]();
    expect(budget.usedBytes).toBe(0);
  });

  test.each([
    ["a larger body than the maximum", "x".repeat(10_001), {}, "request_too_large"],
    ["a body for which the memory is missing", "x".repeat(100), { budget: new BufferBudget(99) }, "server_overloaded"],
    ["a body of an account with too many", "x", { budget: fullBudget() }, "rate_limit_exceeded"],
  ])("%s is refused", async (_, text, changes, code) => {
    const reading = readBody(received(text), { ...limits, budget, ...changes }, holder);
    await expect(reading).rejects.toMatchObject({ code });
  });

  test("that of an ended call rejects with the reason", async () => {
    const ended = new ClientDisconnected("gone");
    await expect(readBody(received("x"), { ...limits, budget }, holder, AbortSignal.abort(ended))).rejects.toBe(ended);
    expect(budget.usedBytes).toBe(0);
  });

  function fullBudget(): BufferBudget {
    const full = new BufferBudget(1_000, { accountPercent: 100, tokenPercent: 100, accountBodies: 1, tokenBodies: 1 });
    full.openHolding(holder).startArriving(() => undefined);
    return full;
  }
});
