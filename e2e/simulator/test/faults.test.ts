import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator } from "../src/simulator.ts";
import { release, untilReleased } from "../src/stream.ts";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({
    authorization: "Bearer key",
    "x-api-key": "key",
    "anthropic-version": "2023-06-01",
    "x-goog-api-key": "key",
  });
});
afterAll(() => started[Symbol.asyncDispose]());

const messages = (content: string) => [{ role: "user", content }];

/** Streaming endpoints, and a text of the last frame. */
const streams: readonly [string, (words: string) => object, RegExp][] = [
  ["/openai/v1/chat/completions", (words) => ({ model: "m", stream: true, messages: messages(words) }), /\[DONE\]/],
  ["/openai/v1/completions", (words) => ({ model: "m", stream: true, prompt: words }), /\[DONE\]/],
  ["/openai/v1/responses", (words) => ({ model: "m", stream: true, input: words }), /response\.completed/],
  [
    "/anthropic/v1/messages",
    (words) => ({ model: "m", max_tokens: 100, stream: true, messages: messages(words) }),
    /message_stop/,
  ],
  [
    "/gemini/v1beta/models/m:streamGenerateContent?alt=sse",
    (words) => ({ contents: [{ parts: [{ text: words }] }] }),
    /finishReason/,
  ],
  [
    "/gemini/v1beta/models/m:streamGenerateContent",
    (words) => ({ contents: [{ parts: [{ text: words }] }] }),
    /finishReason/,
  ],
];

describe.each(streams)("%s", (path, ask, last) => {
  const text = async (behaviour: object): Promise<string> => {
    const headers = { authorization: "Bearer key", "x-api-key": "key", "x-goog-api-key": "key" };
    const answer = await fetch(started.url + path, {
      method: "POST",
      headers: { ...headers, "anthropic-version": "2023-06-01" },
      body: JSON.stringify(ask(simulate(behaviour))),
    });
    return answer.text();
  };

  test("a complete stream has its final frame, an incomplete one does not", async () => {
    expect(await text({})).toMatch(last);
    expect(await text({ noDone: true })).not.toMatch(last);
  });

  test("a cut closes the connection, an error is sent in the stream", async () => {
    await expect(text({ chunks: 20, chunkDelayMs: 1, cutAfterChunks: 3 })).rejects.toThrow();
    const broken = await text({ errorAfterChunks: 2, errorMessage: "out of steam" });
    expect(broken).toMatch(/"message":"out of steam"/);
    expect(broken).not.toMatch(last);
  });

  test("invalid JSON, and no answer", async () => {
    expect(await text({ malformed: true })).toMatch("<html>");
    await expect(text({ closeBeforeHead: true })).rejects.toThrow();
  });
});

test("a new simulator waits again for a name that an earlier one released", async () => {
  release("again");
  createSimulator();
  const waiting = untilReleased(new EventEmitter(), "again").then(() => "released");
  expect(await Promise.race([waiting, setImmediate("waiting")])).toBe("waiting");
  release("again");
  expect(await waiting).toBe("released");
});
