import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, hello, post } from "./suite-client.ts";

const keys = {
  greedy: "sk-greedy-0123456789abcdef",
  modest: "sk-modest-0123456789abcdef",
  empty: "sk-empty-0123456789abcdef",
  limited: "sk-limited-0123456789abcdef",
};
/** Time in ms in which slow bodies arrive while another account is served. */
const graceMs = 1_500;
const floor = 500;
const config = {
  groups: { default: { models: ["*"] }, limited: { models: ["*"], limits: { requestsPerMinute: 1 } } },
  models: {
    chat: { kind: "chat", price: { input: 1, output: 1 } },
    sketch: { kind: "image", price: { image: 0.001 } },
    film: { kind: "video", price: { second: 0.001 } },
    scribe: { kind: "transcription", price: { second: 0.0001 } },
    voice: { kind: "speech", price: { character: 0.001 } },
  },
  channels: [channel("main", ["chat", "sketch", "film", "scribe", "voice"])],
  accounts: {
    greedy: { balance: "100.00", tokens: [{ key: keys.greedy, group: "default" }] },
    modest: { balance: "100.00", tokens: [{ key: keys.modest, group: "default" }] },
    empty: { balance: "0.00", tokens: [{ key: keys.empty, group: "default" }] },
    limited: { balance: "1.00", tokens: [{ key: keys.limited, group: "limited" }] },
  },
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config,
    limits: { relay: { pace: { graceMs, floorBytesPerSecond: floor }, body: { values: 10_000, members: 5_000 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const formHead = [
  "--b\r\ncontent-disposition: form-data; name=model\r\n\r\nscribe\r\n",
  '--b\r\ncontent-disposition: form-data; name=file; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n',
].join("");

interface Dripped {
  readonly status: number | undefined;
  readonly body: unknown;
}

/** Starts a body of 64 MB, and then sends single bytes. */
async function drip(path: string, headers: Record<string, string> = {}, begin = "{"): Promise<Dripped> {
  const outgoing = request(`${suite.edgeUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.greedy}`,
      "content-type": "application/json",
      "content-length": "67108864",
      ...headers,
    },
  });
  outgoing.on("error", () => undefined);
  outgoing.write(begin);
  const timer = setInterval(() => outgoing.write(" "), 250);
  try {
    const [answer] = await once(outgoing, "response");
    const text = (await answer.toArray()).join("");
    return { status: answer.statusCode, body: JSON.parse(text) };
  } finally {
    clearInterval(timer);
    outgoing.destroy();
  }
}

const isForm = { "content-type": "multipart/form-data; boundary=b" };
const alpha = { "anthropic-version": "2023-06-01" };
const common = { error: { code: "request_timeout", message: expect.stringContaining(`${floor} bytes per second`) } };

describe("a body that is sent too slowly gets 408 in its wire's format", () => {
  test.concurrent.each<[string, Record<string, string>, string, object]>([
    ["/v1/chat/completions", {}, "{", common],
    ["/v1/responses", {}, "{", common],
    ["/v1/embeddings", {}, "{", common],
    ["/v1/messages", alpha, "{", { type: "error", error: { message: common.error.message } }],
    ["/v1beta/models/chat:generateContent", {}, "{", { error: { code: 408, message: common.error.message } }],
    ["/v1/images/generations", {}, "{", common],
    ["/v1/images/edits", isForm, formHead, common],
    ["/v1/audio/transcriptions", isForm, formHead, common],
    ["/v1/videos", isForm, formHead, common],
  ])("%s", async (path, headers, begin, body) => {
    const length = path === "/v1/videos" ? { "content-length": "30000000" } : {};
    expect(await drip(path, { ...headers, ...length }, begin)).toMatchObject({ status: 408, body });
  });
});

test("a caller without money, or at its request limit, is refused before its body is read", async () => {
  const path = "/v1/chat/completions";
  expect(await drip(path, { authorization: `Bearer ${keys.empty}` })).toMatchObject({
    status: 402,
    body: { error: { code: "insufficient_quota" } },
  });
  expect((await post(suite, hello("chat"), keys.limited)).status).toBe(200);
  expect(await drip(path, { authorization: `Bearer ${keys.limited}` })).toMatchObject({
    status: 429,
    body: { error: { code: "rate_limit_exceeded" } },
  });
});

test.concurrent("bodies that only declare a length do not stop another account's calls", async () => {
  const slow = Promise.all(Array.from({ length: 8 }, () => drip("/v1/chat/completions")));
  const served = await Promise.all(Array.from({ length: 10 }, () => post(suite, hello("chat"), keys.modest)));
  expect(served.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  const large = hello("chat", "x".repeat(1_000_000));
  expect((await post(suite, large, keys.modest)).status).toBe(200);
  expect((await slow).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 408));
});

test.each<[string, object, string]>([
  ["values", { list: Array.from({ length: 10_001 }, () => 1) }, "10000 values"],
  ["members", { map: Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`k${at}`, 1])) }, "5000 members"],
])("a body with too many %s is refused before it is parsed, on every endpoint", async (_, more, words) => {
  const paths = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/images/generations", "/v1/audio/speech"];
  for (const path of [...paths, "/v1/videos"]) {
    const answer = await fetch(`${suite.edgeUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.greedy}`, "content-type": "application/json", ...alpha },
      body: JSON.stringify({ ...hello("chat"), ...more }),
    });
    expect([path, answer.status, await answer.text()]).toEqual([path, 413, expect.stringContaining(words)]);
  }
});
