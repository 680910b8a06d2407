import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { googleAt } from "../../../services/text/test/every-vendor.ts";
import { keyOf, startEveryVendorSuite } from "./every-vendor-suite.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";
import { ownAndOther } from "../../../services/text/test/vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startEveryVendorSuite();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const key = keyOf("demo");

const post = (path: string, body: object, headers: Record<string, string> = { "x-goog-api-key": key }) =>
  fetch(`${suite.edgeUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

interface Piece {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: object;
}

function wordsOf(pieces: readonly Piece[]): string {
  const parts = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return parts.map(({ text }) => text ?? "").join("");
}

const hello = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
const answer = {
  candidates: [{ content: { role: "model", parts: [{ text: "You said: Hello" }] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: expect.any(Number), totalTokenCount: expect.any(Number) },
  modelVersion: expect.any(String),
};

describe.each(ownAndOther("content"))("content generation over $name", ({ name: model }) => {
  test.each<[string, string, Record<string, string>]>([
    ["the vendor's header", "", { "x-goog-api-key": key }],
    ["the interface's header", "", { "x-gamma-api-key": key }],
    ["the query", `?key=${key}`, {}],
    ["a bearer token", "", { authorization: `Bearer ${key}` }],
  ])("a complete answer, with the key in %s", async (_, query, headers) => {
    const reply = await post(`/v1beta/models/${model}:generateContent${query}`, hello, headers);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject(answer);
  });

  test("a stream of server-sent events", async () => {
    const reply = await post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, hello);
    expect(reply.headers.get("content-type")).toContain("text/event-stream");
    const frames = (await reply.text()).split(/\r?\n\r?\n/).filter((frame) => frame.startsWith("data: "));
    const pieces: readonly Piece[] = frames.map((frame) => JSON.parse(frame.slice("data: ".length)));
    expect(wordsOf(pieces)).toBe("You said: Hello");
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: expect.anything() });
  });

  test("a stream that is one JSON array", async () => {
    const reply = await post(`/v1beta/models/${model}:streamGenerateContent`, hello);
    expect(reply.headers.get("content-type")).toContain("application/json");
    const pieces: readonly Piece[] = JSON.parse(await reply.text());
    expect(pieces.length).toBeGreaterThan(1);
    expect(wordsOf(pieces)).toBe("You said: Hello");
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: expect.anything() });
  });

  test("tokens are counted, and the model is described", async () => {
    const google = googleAt(suite.edgeUrl, key);
    expect((await google.models.countTokens({ model, contents: "Hello there" })).totalTokens).toBeGreaterThan(0);
    expect(await google.models.get({ model })).toMatchObject({ name: `models/${model}` });
  });
});

test("errors have the vendor's format", async () => {
  const reply = await post("/v1beta/models/nothing:generateContent", hello);
  expect(reply.status).toBe(404);
  expect(await reply.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND", message: expect.any(String) } });
  const wrong = await post("/v1beta/models/chat:generateContent", { contents: "Hello" });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
});
