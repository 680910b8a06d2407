import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { config, hello, keys, money, post } from "./suite-client.ts";

const megabyte = 1024 * 1024;
let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config,
    env: { BODY_BYTES: String(4 * megabyte) },
    limits: { relay: { pace: { silenceMs: 400 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const part = (type: string, rest: object) => ({
  model: "chat",
  messages: [{ role: "user", content: [{ type, ...rest }] }],
});

test.each<[string, unknown, number, string, string | null]>([
  ["no JSON", "{not json", 400, "invalid_json", null],
  ["an empty body", "", 400, "invalid_json", null],
  ["no messages", { model: "chat" }, 400, "missing_required_parameter", "messages"],
  [
    "file data that is not a string",
    part("file", { file: { file_data: 5 } }),
    400,
    "invalid_value",
    "messages[0].content[0].file.file_data",
  ],
  [
    "a file part in a stream",
    { ...part("file", { file: { file_data: "JVBERi0xLjQK" } }), stream: true },
    400,
    "file_input_not_streamable",
    "stream",
  ],
])("%s", async (_, body, status, code, param) => {
  const answer = await post(suite, body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", code, param } });
});

test("fields that clients send as null count as absent", async () => {
  const answer = await post(suite, { ...hello("fixed"), stream: null, max_tokens: null, n: null });
  expect(answer.status).toBe(200);
});

test("100,000 brackets are refused before any recursion", async () => {
  const deep = `{"model":"chat","messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const answer = await post(suite, deep);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: "invalid_json" } });
});

test.each([
  ["declared", () => post(suite, JSON.stringify(hello("chat", "x".repeat(5 * megabyte))))],
  ["a gzip bomb", () => compressed("gzip", gzipSync(Buffer.alloc(200 * megabyte)))],
  ["a zstd bomb", () => compressed("zstd", zstdCompressSync(Buffer.alloc(200 * megabyte)))],
])("a body over the limit, %s, gets 413 and memory stays bounded", async (_, send) => {
  const before = peakMemory("text");
  const answer = await send();
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: { code: "request_too_large" } });
  expect(peakMemory("text") - before).toBeLessThan(100 * megabyte);
});

test("compressed bodies are accepted", async () => {
  const body = Buffer.from(JSON.stringify(hello("fixed")));
  expect((await compressed("zstd", zstdCompressSync(body))).status).toBe(200);
  expect((await compressed("gzip", gzipSync(body))).status).toBe(200);
});

test.each([
  ["gzip", "not gzip", 400, "invalid_value"],
  ["compress", "{}", 415, "unsupported_media_type"],
])("content encoding %s with %j gets %i", async (encoding, body, status, code) => {
  const answer = await compressed(encoding, Buffer.from(body));
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { code } });
});

test("another content type gets 415", async () => {
  const answer = await post(suite, "model=chat", keys.demo, { "content-type": "application/x-www-form-urlencoded" });
  expect(answer.status).toBe(415);
});

test("a body that stops in the middle gets 408, and other calls are served at the same time", async () => {
  const half = raw(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: edge\r\nauthorization: Bearer ${keys.demo}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"model":`,
  );
  expect((await post(suite, hello("fixed"))).status).toBe(200);
  const answer = await half;
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain('"code":"request_timeout"');
});

test.each([
  ["no HTTP", "GARBAGE\r\n\r\n", 400],
  ["endless headers", `GET /v1/models HTTP/1.1\r\nhost: edge\r\nx-long: ${"a".repeat(64 * 1024)}\r\n\r\n`, 431],
])("%s gets a well-formed answer", async (_, words, status) => {
  expect(await raw(words)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test("only the accepted calls were charged", async () => {
  const account = await money(suite);
  expect(BigInt(account.creditedNanos) - BigInt(account.balanceNanos)).toBe(BigInt(account.spentNanos));
  // At most five valid calls at a fixed price; refused calls are free.
  expect(BigInt(account.spentNanos) % 1_000_000n).toBe(0n);
});

function compressed(encoding: string, body: Buffer): Promise<Response> {
  return fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", "content-encoding": encoding },
    body: new Uint8Array(body),
  });
}

function raw(words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(suite.edgeUrl);
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(words));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes("\r\n\r\n") && answer.includes("}")) socket.end();
    });
    socket.on("close", () => resolve(answer)).on("error", reject);
  });
}

function peakMemory(name: "text"): number {
  const status = readFileSync(`/proc/${suite.process(name).pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

test("a body that is too large gets 413 even if the client asked to close the connection", async () => {
  const body = Buffer.from(JSON.stringify(hello("chat", "x".repeat(10 * megabyte))));
  /** Returns the status; undefined if the connection ended before the answer was read. */
  const send = async (): Promise<number | undefined> => {
    const outgoing = request(`${suite.edgeUrl}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${keys.demo}`,
        "content-type": "application/json",
        "content-length": body.length,
        connection: "close",
      },
    });
    const answered = once(outgoing, "response").catch(() => []);
    outgoing.on("error", () => undefined).end(body);
    const [answer] = await answered;
    if (answer === undefined) return undefined;
    answer.resume();
    await once(answer, "close");
    expect(answer.headers.connection).toBe("close");
    return answer.statusCode;
  };
  // The refusal and the rest of the body are sent at the same time, so either may arrive first.
  const statuses = new Set<number | undefined>();
  for (let at = 0; at < 20; at++) statuses.add(await send());
  statuses.delete(undefined);
  expect([...statuses]).toEqual([413]);
});
