import { describe, expect, test } from "vitest";
import { upstreamWires, videoWires, type UpstreamWire } from "@modelgate/contracts";
import { canSpeak, providers } from "./index.ts";

const aigc = "https://v.example/api/v1/services/aigc";

describe("a call goes to", () => {
  test.each<[string, string, UpstreamWire, string, boolean, string]>([
    ["openai", "https://v.example/v1", "responses", "m", true, "https://v.example/v1/responses"],
    ["openai", "https://v.example/v1", "compact", "m", false, "https://v.example/v1/responses/compact"],
    ["openai", "https://v.example/v1", "jina-rerank", "m", false, "https://v.example/v1/rerank"],
    ["anthropic", "https://v.example", "messages", "m", true, "https://v.example/v1/messages"],
    [
      "anthropic",
      "https://v.example/alt/",
      "count-messages",
      "m",
      false,
      "https://v.example/alt/v1/messages/count_tokens",
    ],
    ["gemini", "https://v.example", "content", "gen", false, "https://v.example/v1beta/models/gen:generateContent"],
    [
      "gemini",
      "https://v.example/v1",
      "content",
      "a/b c",
      false,
      "https://v.example/v1/models/a/b%20c:generateContent",
    ],
    [
      "gemini",
      "https://v.example",
      "content",
      "gen",
      true,
      "https://v.example/v1beta/models/gen:streamGenerateContent?alt=sse",
    ],
    ["gemini", "https://v.example", "count-content", "gen", false, "https://v.example/v1beta/models/gen:countTokens"],
    [
      "gemini",
      "https://v.example",
      "content-embeddings",
      "e",
      false,
      "https://v.example/v1beta/models/e:batchEmbedContents",
    ],
    ["azure", "https://r.example/openai/v1", "chat", "m", true, "https://r.example/openai/v1/chat/completions"],
    [
      "azure",
      "https://r.example",
      "chat",
      "dep",
      true,
      "https://r.example/openai/deployments/dep/chat/completions?api-version=2024-10-21",
    ],
    [
      "azure",
      "https://r.example/openai?api-version=2025-03-01",
      "embeddings",
      "d",
      false,
      "https://r.example/openai/deployments/d/embeddings?api-version=2025-03-01",
    ],
    ["azure", "https://r.example", "responses", "m", true, "https://r.example/openai/responses?api-version=2024-10-21"],
    ["openai", "https://v.example/v1", "realtime", "live 1", true, "https://v.example/v1/realtime?model=live+1"],
    ["azure", "https://r.example/openai/v1", "realtime", "m", true, "https://r.example/openai/v1/realtime?model=m"],
    [
      "azure",
      "https://r.example",
      "realtime",
      "dep",
      true,
      "https://r.example/openai/realtime?deployment=dep&api-version=2025-04-01-preview",
    ],
    [
      "gemini",
      "https://v.example",
      "gemini-live",
      "m",
      true,
      "https://v.example/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
    ],
    [
      "gemini",
      "https://v.example/at/x/v1alpha",
      "gemini-live",
      "m",
      true,
      "https://v.example/at/x/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContent",
    ],
    ["jina", "https://v.example/v1", "jina-rerank", "m", false, "https://v.example/v1/rerank"],
    ["cohere", "https://v.example", "cohere-rerank", "m", false, "https://v.example/v2/rerank"],
    ["cohere", "https://v.example/v1", "cohere-rerank", "m", false, "https://v.example/v2/rerank"],
    ["openai", "https://v.example/v1", "image-edits", "m", false, "https://v.example/v1/images/edits"],
    ["azure", "https://r.example/openai/v1", "images", "m", false, "https://r.example/openai/v1/images/generations"],
    ["qwen", "https://v.example/api/v1", "qwen-images", "m", false, `${aigc}/multimodal-generation/generation`],
    ["qwen", "https://v.example", "qwen-image-tasks", "m", false, `${aigc}/text2image/image-synthesis`],
    ["qwen", "https://v.example/api/v1/", "qwen-image-edit-tasks", "m", false, `${aigc}/image2image/image-synthesis`],
    ["qwen", "https://v.example/api/v1", "chat", "m", true, "https://v.example/compatible-mode/v1/chat/completions"],
  ])("%s under %s in %s", (name, baseUrl, wire, model, stream, address) => {
    expect(providers[name]?.address({ baseUrl, wire, model, stream }).href).toBe(address);
  });
});

/** Videos have their addresses in `video`. */
const videos: ReadonlySet<UpstreamWire> = new Set(videoWires);

test.each(Object.values(providers))(
  "$name has an address of its own for every wire that it can be spoken to in",
  (provider) => {
    const call = { baseUrl: "https://v.example/base", model: "m", stream: false };
    const addresses = upstreamWires
      .filter((wire) => canSpeak(provider, wire) && !videos.has(wire))
      .map((wire) => provider.address({ ...call, wire }).pathname);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const path of addresses) expect(path).not.toMatch(/\/(?:base|v1)?$/);
  },
);

test.each<[string, UpstreamWire, object]>([
  ["openai", "chat", { authorization: "Bearer k" }],
  ["anthropic", "messages", { "x-api-key": "k", "anthropic-version": "2023-06-01" }],
  ["gemini", "content", { "x-goog-api-key": "k" }],
  ["azure", "chat", { "api-key": "k" }],
  ["jina", "jina-rerank", { authorization: "Bearer k" }],
  ["cohere", "cohere-rerank", { authorization: "Bearer k" }],
  ["qwen", "qwen-images", { authorization: "Bearer k" }],
  ["qwen", "qwen-image-tasks", { authorization: "Bearer k", "x-dashscope-async": "enable" }],
])("%s gets its key in its own header", (name, wire, headers) => {
  expect(providers[name]?.headers({ key: "k", wire })).toEqual(headers);
});

const alpha = (type: string, message = "no"): string => JSON.stringify({ type: "error", error: { type, message } });
const own = (code: string, message: string): string => JSON.stringify({ code, message, request_id: "r" });
const gamma = (status: string, details: readonly object[] = [], message = "no"): string =>
  JSON.stringify({ error: { code: 400, message, status, details } });

describe("an error means", () => {
  test.each<[string, number, string, string, string]>([
    ["anthropic", 529, alpha("overloaded_error"), "upstream_error", "channel"],
    ["anthropic", 429, alpha("rate_limit_error"), "upstream_rate_limited", "key"],
    ["anthropic", 401, alpha("authentication_error"), "upstream_auth_failed", "key"],
    ["anthropic", 400, alpha("invalid_request_error", "Your credit balance is too low"), "upstream_auth_failed", "key"],
    ["anthropic", 400, alpha("invalid_request_error", "max_tokens: wrong"), "upstream_rejected", "request"],
    ["anthropic", 404, alpha("not_found_error", "model: claude-9"), "upstream_error", "model"],
    ["anthropic", 404, alpha("not_found_error", "Not Found"), "upstream_error", "wire"],
    ["anthropic", 413, alpha("request_too_large"), "upstream_rejected", "request"],
    ["gemini", 429, gamma("RESOURCE_EXHAUSTED"), "upstream_rate_limited", "key"],
    ["gemini", 400, gamma("INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]), "upstream_auth_failed", "key"],
    ["gemini", 400, gamma("FAILED_PRECONDITION"), "upstream_auth_failed", "key"],
    ["gemini", 400, gamma("INVALID_ARGUMENT"), "upstream_rejected", "request"],
    ["gemini", 503, gamma("UNAVAILABLE"), "upstream_error", "channel"],
    ["gemini", 504, gamma("DEADLINE_EXCEEDED"), "upstream_timeout", "channel"],
    ["gemini", 404, gamma("NOT_FOUND", [], "models/gen-9 is not found"), "upstream_error", "model"],
    ["gemini", 500, `[${gamma("INTERNAL")}]`, "upstream_error", "channel"],
    ["azure", 401, JSON.stringify({ error: { code: "401", message: "Access denied" } }), "upstream_auth_failed", "key"],
    ["cohere", 400, JSON.stringify({ message: "documents must not be empty" }), "upstream_rejected", "request"],
    ["qwen", 400, own("InvalidParameter", "url error, please check url!"), "upstream_error", "wire"],
    ["qwen", 403, own("AccessDenied", "does not support synchronous calls."), "upstream_error", "wire"],
    ["qwen", 403, own("AccessDenied", "Access denied."), "upstream_auth_failed", "key"],
    ["qwen", 400, own("InvalidParameter", "size is wrong"), "upstream_rejected", "request"],
    ["qwen", 400, own("DataInspectionFailed", "inappropriate"), "upstream_rejected", "request"],
    ["qwen", 400, own("Arrearage", "overdue"), "upstream_auth_failed", "key"],
    ["qwen", 429, own("Throttling.RateQuota", "slow down"), "upstream_rate_limited", "key"],
    ["qwen", 404, own("NotFound", "nothing here"), "upstream_error", "wire"],
    ["qwen", 404, own("ModelNotFound", "no such model"), "upstream_error", "model"],
    ["jina", 422, JSON.stringify({ detail: "too long" }), "upstream_rejected", "request"],
    ["jina", 402, "", "upstream_auth_failed", "key"],
  ])("at %s %i %s: %s, to be blamed on the %s", (name, status, body, code, blame) => {
    expect(providers[name]?.failureOf(status, body)).toMatchObject({ code, blame });
  });

  test.each([
    ["openai", 401, JSON.stringify({ error: { message: "no", code: "invalid_api_key" } }), true],
    ["openai", 429, JSON.stringify({ error: { message: "no", code: "insufficient_quota" } }), undefined],
    ["anthropic", 401, alpha("authentication_error"), true],
    ["anthropic", 403, alpha("permission_error"), undefined],
    ["gemini", 400, gamma("INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]), true],
    ["qwen", 401, own("InvalidApiKey", "Invalid API-key provided."), true],
    ["qwen", 400, own("Arrearage", "overdue"), undefined],
    ["kling", 401, JSON.stringify({ code: 1002, message: "Authorization is invalid" }), true],
    ["kling", 401, JSON.stringify({ code: 1004, message: "expired" }), undefined],
    ["jimeng", 401, JSON.stringify({ ResponseMetadata: { Error: { Code: "SignatureDoesNotMatch" } } }), true],
    ["jimeng", 401, JSON.stringify({ ResponseMetadata: { Error: { Code: "InvalidTimestamp" } } }), undefined],
  ])("whether %s will not have a key at all is told from one that cannot be used now: %i %s", (...row) => {
    const [name, status, body, isInvalid] = row;
    expect(providers[name]?.failureOf(status, body)).toMatchObject({ blame: "key", code: "upstream_auth_failed" });
    expect(providers[name]?.failureOf(status, body).keyIsInvalid).toBe(isInvalid);
  });

  test("a refused seal of thoughts is told by its code or by its words", () => {
    const refused = (error: object) => providers["openai"]?.failureOf(400, JSON.stringify({ error }));
    expect(refused({ message: "no", code: "invalid_encrypted_content" })?.aboutSeals).toBe(true);
    expect(refused({ message: "messages.1: Invalid `signature` in `thinking` block" })?.aboutSeals).toBe(true);
    expect(refused({ message: "Function call is missing a thought_signature" })?.aboutSeals).toBe(true);
    expect(refused({ message: "max_tokens is too large" })).not.toHaveProperty("aboutSeals");
  });

  test("where a task stands has an address of its own", () => {
    const at = providers["qwen"]?.taskAddress?.({ baseUrl: "https://v.example/api/v1", task: "a/b" });
    expect(at?.href).toBe("https://v.example/api/v1/tasks/a%2Fb");
  });

  test("when gemini wants to be asked again stands in the body", () => {
    const body = gamma("RESOURCE_EXHAUSTED", [{ "@type": "RetryInfo", retryDelay: "12s" }]);
    expect(providers["gemini"]?.failureOf(429, body).retryAfterMs).toBe(12_000);
  });

  test("only names go on as code and field, whatever a vendor writes there", () => {
    const body = JSON.stringify({ error: { message: "m", code: "see https://10.0.0.1/x", param: "a b" } });
    const failure = providers["openai"]?.failureOf(400, body);
    expect([failure?.vendorCode, failure?.param]).toEqual([undefined, undefined]);
  });
});
