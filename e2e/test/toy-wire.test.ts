import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, startSuite, type Script, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { keys, money } from "./suite-client.ts";
import { framed, lengthPrefixed } from "./toy-wire/framing.ts";

/** Bodies that the vendor received. */
const vendorRequests: unknown[] = [];
const spent = { in: 7, out: 3 };

/** Vendor of the toy wire. It repeats the text of a request, or fails on request. */
const answer: Script = (request, response) => {
  const body = JSON.parse(request.body);
  vendorRequests.push(body);
  const prompt = body.lines.join(" ");
  if (!body.live) return { body: { text: prompt, spent } };
  response.writeHead(200, { "content-type": lengthPrefixed.mediaType });
  const pieces = prompt.includes("fail")
    ? [{ problem: { words: "no" } }]
    : [...prompt.split(" ").map((word: string) => ({ delta: `${word} ` })), { spent }];
  const stream = Buffer.concat([framed(""), ...pieces.map((piece) => framed(JSON.stringify(piece)))]);
  // Splits a frame.
  const middle = pieces.length === 1 ? stream.length : Math.floor(stream.length / 3);
  response.write(stream.subarray(0, middle));
  setImmediate(() => response.end(stream.subarray(middle)));
  return undefined;
};

let vendor: ScriptedServer;
let suite: Suite;
beforeAll(async () => {
  vendor = await startScriptedServer(answer);
  suite = await startSuite({
    sources: true,
    env: { NODE_OPTIONS: `--import=${new URL("./toy-wire/register.ts", import.meta.url).href}` },
    config: {
      groups: { default: { models: ["*"] } },
      models: { toy: { kind: "chat", price: { input: 1, output: 10 } } },
      channels: [{ id: "toy", provider: "toy", baseUrl: `${vendor.url}/`, keys: ["k"], models: ["toy"] }],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const turns = [{ role: "user", content: "Say it again" }];
/** Request in each wire of clients. */
const clients: readonly {
  readonly name: string;
  readonly path: (stream: boolean) => string;
  readonly body: (stream: boolean, words?: string) => object;
}[] = [
  {
    name: "chat",
    path: () => "/v1/chat/completions",
    body: (stream, content = "Say it again") => ({ model: "toy", stream, messages: [{ role: "user", content }] }),
  },
  {
    name: "messages",
    path: () => "/v1/messages",
    body: (stream) => ({ model: "toy", stream, max_tokens: 50, messages: turns }),
  },
  { name: "responses", path: () => "/v1/responses", body: (stream) => ({ model: "toy", stream, input: turns }) },
  {
    name: "content",
    path: (stream) => `/v1beta/models/toy:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({ contents: [{ role: "user", parts: [{ text: "Say it again" }] }] }),
  },
  {
    name: "completions",
    path: () => "/v1/completions",
    body: (stream) => ({ model: "toy", stream, prompt: "Say it again" }),
  },
];

function ask(path: string, body: object): Promise<Response> {
  return fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body),
  });
}

describe("a wire for vendors only, with streams that are not events, is one folder and its registry line", () => {
  test.each(clients)("$name: a complete answer is converted", async ({ path, body }) => {
    const answer = await ask(path(false), body(false));
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining("Say it again")]);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(vendorRequests.at(-1)).toMatchObject({ lines: ["Say it again"], live: false });
  });

  test.each(clients)("$name: a stream is converted", async ({ path, body }) => {
    const answer = await ask(path(true), body(true));
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining("Say ")]);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    for (const word of ["Say ", "it ", "again "]) expect(text).toContain(`"${word}"`);
    expect(vendorRequests.at(-1)).toMatchObject({ lines: ["Say it again"], live: true });
  });

  test("a stream that begins with an error fails before its client's answer begins", async () => {
    const [chat] = clients;
    const answer = await ask("/v1/chat/completions", chat?.body(true, "fail") ?? {});
    expect(answer.status).toBe(502);
  });

  test("every answer is charged by the usage that its vendor reported", async () => {
    const { spentNanos } = await money(suite);
    // 7 input tokens at $1 and 3 output tokens at $10 per million.
    expect(Number(spentNanos)).toBe(2 * clients.length * 37_000);
  });
});
