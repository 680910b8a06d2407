import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { config, hello, keys } from "./suite-client.ts";

/**
 * Page with the answers to wrong calls, for review. `vitest -u` writes it again. Each error must say what is wrong with
 * the call and what to do.
 */
const page = join(import.meta.dirname, "../WRONG_CALLS.md");

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config, services: "all" });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;
const bearer: Headers = { authorization: `Bearer ${keys.demo}` };
const claude: Headers = { "x-api-key": keys.demo, "anthropic-version": "2023-06-01" };
const google: Headers = { "x-goog-api-key": keys.demo };
const user = [{ role: "user", content: "Hello" }];
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];

/** Wrong calls, and their names in `WRONG_CALLS.md`. */
const calls: readonly (readonly [what: string, call: string, headers?: Headers, body?: unknown])[] = [
  ["no key", "GET /v1/models", {}],
  ["an incomplete key", "GET /v1/models", { authorization: "Bearer sk-" }],
  ["a key of another vendor", "GET /v1/models", { authorization: "Bearer AIzaSyD-0123456789" }],
  ["a key without Bearer", "GET /v1/models", { authorization: keys.demo }],
  ["an unknown key", "GET /v1/models", { authorization: "Bearer sk-unknown-0123456789abcdef" }],
  ["an expired key", "GET /v1/models", { authorization: `Bearer ${keys.expired}` }],
  ["a disabled key", "GET /v1/models", { authorization: `Bearer ${keys.disabled}` }],
  ["two different keys", "GET /v1/models", { ...bearer, "x-api-key": keys.poor }],
  ["a key in Google's header", "POST /v1/chat/completions", google, hello("chat")],
  ["a key in Anthropic's header", "POST /v1/chat/completions", { "x-api-key": keys.demo }, hello("chat")],
  [
    "an unknown key, Anthropic's client",
    "POST /v1/messages",
    { ...claude, "x-api-key": "sk-unknown-0123456789abcdef" },
    {},
  ],
  [
    "an unknown key, Google's client",
    "POST /v1beta/models/chat:generateContent",
    { "x-goog-api-key": "sk-unknown-0123456789abcdef" },
    {},
  ],
  ["no /v1", "POST /chat/completions", bearer, hello("chat")],
  ["/v1 twice", "POST /v1/v1/chat/completions", bearer, hello("chat")],
  ["/v1 twice, Anthropic's client", "POST /v1/v1/messages", claude, {}],
  ["no /v1, Anthropic's client", "POST /messages", claude, {}],
  ["an unknown path", "GET /v1/nothing", bearer],
  ["the same, Anthropic's client", "GET /v1/nothing", claude],
  ["the wrong method", "GET /v1/chat/completions", bearer],
  ["the wrong method, on a list", "POST /v1/models", bearer, {}],
  ["an unsupported action", "POST /v1beta/models/chat:predictLongRunning", google, {}],
  ["the same under /v1", "POST /v1/models/chat:predict", google, {}],
  ["files", "GET /v1/files", bearer],
  ["files, Anthropic's client", "GET /v1/files?beta=true", claude],
  ["uploads", "POST /v1/uploads", bearer, {}],
  ["uploads, Google's client", "POST /upload/v1beta/files", google, {}],
  ["batches, Anthropic's client", "POST /v1/messages/batches", claude, {}],
  ["fine-tunes", "GET /v1/fine-tunes", bearer],
  ["assistants", "POST /v1/assistants", bearer, {}],
  ["no JSON", "POST /v1/chat/completions", bearer, "{not json"],
  [
    "a form in place of JSON",
    "POST /v1/chat/completions",
    { ...bearer, "content-type": "application/x-www-form-urlencoded" },
    "a=b",
  ],
  ["JSON for a form", "POST /v1/audio/transcriptions", bearer, { model: "chat" }],
  ["a list in place of a body", "POST /v1/chat/completions", bearer, []],
  ["no model", "POST /v1/chat/completions", bearer, { messages: user }],
  ["a model that is a number", "POST /v1/chat/completions", bearer, { model: 7, messages: user }],
  ["a misspelled model", "POST /v1/chat/completions", bearer, hello("chta")],
  [
    "a misspelled model, Anthropic's client",
    "POST /v1/messages",
    claude,
    { model: "chta", max_tokens: 5, messages: user },
  ],
  ["a misspelled model, Google's client", "POST /v1beta/models/chta:generateContent", google, { contents }],
  ["a model of another kind", "POST /v1/chat/completions", bearer, hello("sketch")],
  ["a model of another kind, vectors", "POST /v1/embeddings", bearer, { model: "chat", input: "a" }],
  [
    "a model that this key may not use",
    "POST /v1/chat/completions",
    { authorization: `Bearer ${keys.narrow}` },
    hello("fixed"),
  ],
  ["a retrieved model", "GET /v1/models/chta", bearer],
  ["no messages", "POST /v1/chat/completions", bearer, { model: "chat" }],
  ["empty messages", "POST /v1/chat/completions", bearer, { model: "chat", messages: [] }],
  ["a message without a role", "POST /v1/chat/completions", bearer, { model: "chat", messages: [{ content: "a" }] }],
  ["no bound", "POST /v1/messages", claude, { model: "chat", messages: user }],
  ["no version", "POST /v1/messages", { "x-api-key": keys.demo }, { model: "chat", max_tokens: 5, messages: user }],
  ["no contents", "POST /v1beta/models/chat:generateContent", google, {}],
  ["no input", "POST /v1/responses", bearer, { model: "chat" }],
  [
    "an answer that was not stored",
    "POST /v1/responses",
    bearer,
    { model: "chat", input: "a", previous_response_id: "resp_1" },
  ],
  [
    "a file in a stream",
    "POST /v1/chat/completions",
    bearer,
    {
      model: "chat",
      stream: true,
      messages: [{ role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: "AAAA" } }] }],
    },
  ],
  ["stream as a string", "POST /v1/chat/completions", bearer, { ...hello("chat"), stream: "yes" }],
  ["a negative limit", "POST /v1/chat/completions", bearer, { ...hello("chat"), max_tokens: -1 }],
  ["a text in place of a size", "POST /v1/images/generations", bearer, { model: "sketch", prompt: "a", size: "big" }],
  ["an edit without an image", "POST /v1/images/edits", bearer, { model: "sketch", prompt: "a" }],
  ["a session without a WebSocket", "GET /v1/realtime?model=chat", bearer],
  ["an unknown video", "GET /v1/videos/video_1", bearer],
];

test("wrong calls are answered as WRONG_CALLS.md describes", async () => {
  const rows: string[] = [];
  for (const [what, call, headers = {}, body] of calls) rows.push(await answerTo(what, call, headers, body));
  const head =
    "# Wrong calls and their answers\n\nThe table shows what a client gets after a mistake. An answer begins with the vendor whose format it has. `e2e/test/wrong-calls.test.ts` writes this page\n(`vitest -u`).\n\n";
  await expect(
    `${head}| mistake | call | status | answer |\n|---|---|---|---|\n${rows.join("\n")}\n`,
  ).toMatchFileSnapshot(page);
});

async function answerTo(what: string, call: string, headers: Headers, body: unknown): Promise<string> {
  const [method = "GET", path = "/"] = call.split(" ");
  const answer = await fetch(suite.edgeUrl + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const parsed: unknown = await answer.json();
  expect(answer.status, what).toBeGreaterThanOrEqual(400);
  return `| ${what} | \`${call}\` | ${answer.status} | ${familyOf(parsed)}: ${messageIn(parsed).replaceAll("|", "\\|")} |`;
}

function familyOf(body: any): string {
  if (body.type === "error") return "Anthropic";
  return typeof body.error?.code === "number" ? "Google" : "OpenAI";
}

function messageIn(body: any): string {
  return String(body.error.message);
}
