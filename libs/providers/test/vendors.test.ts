import { runToEnd } from "@modelgate/formats/json";
import { describe, expect, test } from "vitest";
import { sessionWires, upstreamWires, videoWires, type UpstreamWire } from "@modelgate/contracts";
import { anthropic } from "../src/anthropic/index.ts";
import { signRequest, supportsWire, providers } from "../src/index.ts";
import { jimeng } from "../src/jimeng/index.ts";
import { openai } from "../src/openai/index.ts";

const call = {
  act: "answer",
  baseUrl: "https://v.example",
  key: "k",
  nowMs: 0,
  model: "m",
  stream: false,
  body: Buffer.from("{}"),
} as const;

const aigc = "https://v.example/api/v1/services/aigc";

describe("the URL of a call", () => {
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
    ["gemini", "https://v.example", "interactions", "gen", true, "https://v.example/v1beta/interactions"],
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
    ["openai", "https://v.example/v1", "gpt-live", "gpt-live-1", true, "https://v.example/v1/live/sessions"],
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
    ["gemini", "https://v.example", "imagen", "imagen-4", false, "https://v.example/v1beta/models/imagen-4:predict"],
    ["cohere", "https://v.example/v2", "cohere-embeddings", "m", false, "https://v.example/v2/embed"],
    ["jina", "https://v.example/v1", "jina-rerank", "m", false, "https://v.example/v1/rerank"],
    ["cohere", "https://v.example", "cohere-rerank", "m", false, "https://v.example/v2/rerank"],
    ["cohere", "https://v.example/v1", "cohere-rerank", "m", false, "https://v.example/v2/rerank"],
    ["openai", "https://v.example/v1", "image-edits", "m", false, "https://v.example/v1/images/edits"],
    ["azure", "https://r.example/openai/v1", "images", "m", false, "https://r.example/openai/v1/images/generations"],
    ["qwen", "https://v.example/api/v1", "qwen-images", "m", false, `${aigc}/multimodal-generation/generation`],
    ["qwen", "https://v.example", "qwen-image-tasks", "m", false, `${aigc}/text2image/image-synthesis`],
    ["qwen", "https://v.example/api/v1/", "qwen-image-edit-tasks", "m", false, `${aigc}/image2image/image-synthesis`],
    [
      "qwen",
      "https://v.example/compatible-api/v1",
      "jina-rerank",
      "m",
      false,
      "https://v.example/compatible-api/v1/reranks",
    ],
    ["qwen", "https://v.example/api/v1", "chat", "m", true, "https://v.example/compatible-mode/v1/chat/completions"],
  ])("%s with the base URL %s in %s", (name, baseUrl, wire, model, stream, address) => {
    const isSession = sessionWires.some((each) => each === wire);
    const members = isSession ? ({ act: "session" } as const) : { stream };
    expect(providers[name]?.request({ ...call, baseUrl, wire, model, ...members }).url.href).toBe(address);
  });
});

/** Addresses of video tasks are tested separately. */
const videos: ReadonlySet<UpstreamWire> = new Set(videoWires);

/** Vendors that use one address for several wires of a model's native format. */
const byModel: ReadonlySet<string> = new Set(["bedrock", "vertex", "gemini"]);
const byWire = Object.values(providers).filter(({ name }) => !byModel.has(name));

test.each(byWire)("$name has an address for each of its wires", (provider) => {
  const addresses = upstreamWires
    .filter((wire) => supportsWire(provider, wire) && !videos.has(wire))
    .map((wire) => provider.request({ ...call, baseUrl: "https://v.example/base", wire }).url.pathname);
  expect(new Set(addresses).size).toBe(addresses.length);
  for (const path of addresses) expect(path).not.toMatch(/\/(?:base|v1)?$/);
});

test.each<[string, UpstreamWire, object]>([
  ["openai", "chat", { authorization: "Bearer k" }],
  ["anthropic", "messages", { "x-api-key": "k", "anthropic-version": "2023-06-01" }],
  ["gemini", "content", { "x-goog-api-key": "k" }],
  ["gemini", "interactions", { "x-goog-api-key": "k", "api-revision": "2026-05-20" }],
  ["azure", "chat", { "api-key": "k" }],
  ["jina", "jina-rerank", { authorization: "Bearer k" }],
  ["cohere", "cohere-rerank", { authorization: "Bearer k" }],
  ["qwen", "qwen-images", { authorization: "Bearer k" }],
  ["qwen", "qwen-image-tasks", { authorization: "Bearer k", "x-dashscope-async": "enable" }],
])("%s gets its key in its header", (name, wire, headers) => {
  const defaultHeaders = {
    "content-type": "application/json",
    accept: "application/json",
    "accept-encoding": "identity",
  };
  expect(providers[name]?.request({ ...call, wire }).headers).toEqual({ ...defaultHeaders, ...headers });
});

test("a call's headers and query override those of its vendor", () => {
  const headers = { "anthropic-version": "2099-01-01", "content-type": "text/plain" };
  const request = anthropic.request({
    ...call,
    wire: "messages",
    stream: true,
    requestId: "req_1",
    headers,
    query: { beta: "true" },
  });
  expect(request.url.search).toBe("?beta=true");
  expect(request.headers).toEqual({
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "x-request-id": "req_1",
    "x-api-key": "k",
    ...headers,
  });
});

test("a session's handshake has the key and no headers of HTTP answers", () => {
  const session = { ...call, act: "session", wire: "realtime", requestId: "req_1" } as const;
  expect(openai.request(session)).toMatchObject({ method: "GET", body: undefined });
  expect(openai.request(session).headers).toEqual({ "x-request-id": "req_1", authorization: "Bearer k" });
});

test("a file on the vendor's host is requested with the key and nothing else", () => {
  const url = new URL("https://v.example/files/1");
  const request = openai.request({ ...call, act: "file", wire: "videos", url, requestId: "req_1" });
  expect(request).toEqual({ url, method: "GET", headers: { authorization: "Bearer k" }, body: undefined });
});

test.each(["anthropic", "gemini", "cohere", "azure"])("%s has no tasks", (name) => {
  const poll = () => providers[name]?.request({ ...call, act: "poll", wire: "images", task: "t" });
  expect(poll).toThrow("The vendor of this model does not support tasks.");
});

test("the stream of an agent is resumed after an event, and an agent is cancelled", () => {
  const run = providers["gemini"]?.run;
  const pollCall = { ...call, wire: "interactions", task: "v1_a/b" } as const;
  expect(run?.({ ...pollCall, act: "follow", lastEvent: "e+1" })).toMatchObject({
    url: new URL("https://v.example/v1beta/interactions/v1_a%2Fb?stream=true&last_event_id=e%2B1"),
    method: "GET",
    headers: { "x-goog-api-key": "k", "api-revision": "2026-05-20", accept: "text/event-stream" },
  });
  expect(run?.({ ...pollCall, act: "cancel" })).toMatchObject({
    url: new URL("https://v.example/v1beta/interactions/v1_a%2Fb/cancel"),
    method: "POST",
  });
});

test("an interaction of an agent is polled", () => {
  const poll = { ...call, act: "poll", wire: "interactions", task: "v1_a/b" } as const;
  expect(providers["gemini"]?.request({ ...poll, baseUrl: "https://v.example" })).toMatchObject({
    url: new URL("https://v.example/v1beta/interactions/v1_a%2Fb"),
    method: "GET",
    headers: { "x-goog-api-key": "k", "api-revision": "2026-05-20" },
  });
  expect(providers["gemini"]?.wiresAt?.("", "deep-research-preview-04-2026")).toEqual(["interactions"]);
});

test.each([
  ["gpt-live-1", ["gpt-live"]],
  ["gpt-live-1.1-preview", ["gpt-live"]],
  ["gpt-live-transcribe", undefined],
  ["gpt-realtime-2", undefined],
])("the wires of %s", (model, wires) => {
  expect(openai.wiresAt?.("https://v.example/v1", model)).toEqual(wires);
});

test("a vendor signs the address, the body and the time", async () => {
  const signature = async (change: object) => {
    const start = { ...call, act: "start", key: "AK|SK", wire: "jimeng-video", fromImage: false } as const;
    const changed = { ...start, body: { prompt: "a" }, ...change };
    const request = jimeng.start && runToEnd(jimeng.start(changed));
    return request && (await signRequest(jimeng, request, changed)).headers["authorization"];
  };
  const changes = [{}, { body: { prompt: "b" } }, { nowMs: 1_763_700_000_000 }, { baseUrl: "https://w.example" }];
  expect(new Set(await Promise.all(changes.map(signature))).size).toBe(changes.length);
});

const anthropicError = (type: string, message = "no", details?: object): string =>
  JSON.stringify({ type: "error", error: { type, message, details } });
const rateLimitError = (code: string): string => anthropicError("rate_limit_error", "no", { error_code: code });
const qwenError = (code: string, message: string): string => JSON.stringify({ code, message, request_id: "r" });
const geminiError = (status: string, details: readonly object[] = [], message = "no"): string =>
  JSON.stringify({ error: { code: 400, message, status, details } });

const openaiError = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });
const signature = (Code: string): string => JSON.stringify({ ResponseMetadata: { Error: { Code } } });

describe("the meaning of an error", () => {
  test("includes Anthropic's detailed code of a refused request", () => {
    const body = anthropicError("invalid_request_error", "no", { error_code: "image_dimensions_too_large" });
    expect(anthropic.failureOf(400, body)).toMatchObject({ detailCode: "image_dimensions_too_large" });
  });

  test.each<[string, number, string, string, string]>([
    ["anthropic", 529, anthropicError("overloaded_error"), "upstream_overloaded", "channel"],
    ["anthropic", 429, anthropicError("rate_limit_error"), "upstream_rate_limited", "key"],
    ["anthropic", 429, rateLimitError("ramp_limit_exceeded"), "upstream_rate_limited", "key"],
    ["anthropic", 429, rateLimitError("contract_spend_limit_reached"), "upstream_auth_failed", "key"],
    ["anthropic", 429, rateLimitError("enforced_spend_limit_reached"), "upstream_auth_failed", "key"],
    ["anthropic", 401, anthropicError("authentication_error"), "upstream_auth_failed", "key"],
    [
      "anthropic",
      400,
      anthropicError("invalid_request_error", "Your credit balance is too low"),
      "upstream_auth_failed",
      "key",
    ],
    ["anthropic", 400, anthropicError("invalid_request_error", "max_tokens: wrong"), "upstream_rejected", "request"],
    ["anthropic", 404, anthropicError("not_found_error", "model: claude-9"), "upstream_error", "model"],
    ["anthropic", 404, anthropicError("not_found_error", "Not Found"), "upstream_error", "wire"],
    ["anthropic", 413, anthropicError("request_too_large"), "upstream_rejected", "request"],
    ["gemini", 429, geminiError("RESOURCE_EXHAUSTED"), "upstream_rate_limited", "key"],
    ["gemini", 400, geminiError("INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]), "upstream_auth_failed", "key"],
    ["gemini", 400, geminiError("INVALID_ARGUMENT"), "upstream_rejected", "request"],
    ["gemini", 503, geminiError("UNAVAILABLE"), "upstream_error", "channel"],
    ["gemini", 504, geminiError("DEADLINE_EXCEEDED"), "upstream_timeout", "channel"],
    ["gemini", 404, geminiError("NOT_FOUND", [], "models/gen-9 is not found"), "upstream_error", "model"],
    ["gemini", 500, `[${geminiError("INTERNAL")}]`, "upstream_error", "channel"],
    ["azure", 401, JSON.stringify({ error: { code: "401", message: "Access denied" } }), "upstream_auth_failed", "key"],
    ["cohere", 400, JSON.stringify({ message: "documents must not be empty" }), "upstream_rejected", "request"],
    ["qwen", 400, qwenError("InvalidParameter", "url error, please check url!"), "upstream_error", "wire"],
    ["qwen", 403, qwenError("AccessDenied", "does not support synchronous calls."), "upstream_error", "wire"],
    ["qwen", 400, qwenError("InvalidParameter", "size is wrong"), "upstream_rejected", "request"],
    ["qwen", 400, qwenError("DataInspectionFailed", "inappropriate"), "upstream_rejected", "request"],
    ["qwen", 400, qwenError("Arrearage", "overdue"), "upstream_auth_failed", "key"],
    ["qwen", 429, qwenError("Throttling.RateQuota", "slow down"), "upstream_rate_limited", "key"],
    ["qwen", 404, qwenError("NotFound", "nothing here"), "upstream_error", "wire"],
    ["qwen", 404, qwenError("ModelNotFound", "no such model"), "upstream_error", "model"],
    ["jina", 422, JSON.stringify({ detail: "too long" }), "upstream_rejected", "request"],
    ["jina", 402, "", "upstream_auth_failed", "key"],
  ])("at %s %i %s: %s, counted against the %s", (name, status, body, code, blame) => {
    expect(providers[name]?.failureOf(status, body)).toMatchObject({ code, blame });
  });

  test.each([
    ["openai", 401, "", undefined],
    ["openai", 401, openaiError("no", { code: "invalid_api_key" }), "invalid_api_key"],
    ["openai", 429, openaiError("no", { code: "insufficient_quota" }), "insufficient_quota"],
    ["openai", 402, openaiError("Insufficient Balance"), undefined],
    ["openai", 403, openaiError("Your team has run out of credits."), undefined],
    ["openai", 403, openaiError("no", { code: "ip_not_authorized" }), "ip_not_authorized"],
    ["azure", 401, openaiError("Access denied due to invalid subscription key.", { code: "401" }), "401"],
    ["cohere", 401, JSON.stringify({ message: "invalid api token" }), undefined],
    ["jina", 402, "", undefined],
    ["anthropic", 401, anthropicError("authentication_error"), "authentication_error"],
    [
      "anthropic",
      403,
      anthropicError("permission_error", "Your API key does not have permission."),
      "permission_error",
    ],
    [
      "anthropic",
      400,
      anthropicError("invalid_request_error", "This organization has been disabled."),
      "invalid_request_error",
    ],
    ["gemini", 400, geminiError("INVALID_ARGUMENT", [{ reason: "API_KEY_INVALID" }]), "API_KEY_INVALID"],
    ["gemini", 403, geminiError("PERMISSION_DENIED", [{ reason: "CONSUMER_SUSPENDED" }]), "CONSUMER_SUSPENDED"],
    ["gemini", 403, geminiError("PERMISSION_DENIED", [], "Your API key was reported as leaked."), "PERMISSION_DENIED"],
    [
      "gemini",
      400,
      geminiError("FAILED_PRECONDITION", [], "Please enable billing on your project."),
      "FAILED_PRECONDITION",
    ],
    ["qwen", 401, qwenError("InvalidApiKey", "Invalid API-key provided."), "InvalidApiKey"],
    ["qwen", 400, qwenError("Arrearage", "overdue"), "Arrearage"],
    ["kling", 401, JSON.stringify({ code: 1002, message: "Authorization is invalid" }), "1002"],
    ["kling", 429, JSON.stringify({ code: 1102, message: "Resource pack used up" }), "1102"],
    ["jimeng", 401, signature("SignatureDoesNotMatch"), "SignatureDoesNotMatch"],
    ["jimeng", 401, signature("InvalidTimestamp"), "InvalidTimestamp"],
  ])("%s refuses a key with %i %s", (name, status, body, vendorCode) => {
    const failure = providers[name]?.failureOf(status, body);
    expect(failure).toMatchObject({ blame: "key", code: "upstream_auth_failed", retryable: true });
    expect(failure?.vendorCode).toBe(vendorCode);
  });

  test.each([
    ["openai", 403, "", "channel"],
    ["openai", 403, openaiError("Your input was flagged by moderation."), "request"],
    ["openai", 403, openaiError("Your API key has no access to the file file-1."), "request"],
    ["openai", 401, openaiError("Could not fetch it: 401", { param: "input[0].image_url" }), "request"],
    ["openai", 400, openaiError("Unsupported path: /v1/responses"), "wire"],
    ["openai", 400, openaiError("Unknown endpoint", { param: "tools[0].url" }), "request"],
    ["openai", 403, openaiError("no", { code: "model_not_found" }), "model"],
    ["openai", 403, openaiError("no", { code: "unsupported_country_region_territory" }), "channel"],
    ["anthropic", 403, anthropicError("permission_error", "You do not have access to this file."), "request"],
    [
      "gemini",
      403,
      geminiError("PERMISSION_DENIED", [], "You do not have permission to access the File abc."),
      "request",
    ],
    ["gemini", 403, geminiError("PERMISSION_DENIED", [], "CachedContent not found (or permission denied)"), "request"],
    ["gemini", 400, geminiError("FAILED_PRECONDITION", [], "The File abc is not in an ACTIVE state."), "request"],
    [
      "gemini",
      400,
      geminiError("FAILED_PRECONDITION", [], "User location is not supported for the API use."),
      "channel",
    ],
    ["qwen", 403, qwenError("AccessDenied", "Access denied."), "request"],
    ["qwen", 403, qwenError("AccessDenied.Unpurchased", "Not purchased."), "model"],
    ["kling", 403, JSON.stringify({ code: 1103, message: "No permission" }), "model"],
    ["kling", 400, JSON.stringify({ code: 1301, message: "Unsafe content" }), "request"],
    ["jimeng", 403, signature("Forbidden.Image"), "channel"],
  ])("%s does not refuse its key with %i %s: the error is about the %s", (name, status, body, blame) => {
    expect(providers[name]?.failureOf(status, body)).toMatchObject({ blame });
  });

  const resource = "'//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/gemini-3-flash'";
  test.each([
    [
      "vertex",
      geminiError(
        "PERMISSION_DENIED",
        [{ reason: "IAM_PERMISSION_DENIED" }],
        `Permission 'aiplatform.endpoints.predict' denied on resource ${resource} (or it may not exist).`,
      ),
      "model",
    ],
    ["gemini", geminiError("PERMISSION_DENIED", [], "Permission 'generativelanguage.tunedModels.list' denied."), "key"],
    ["openai", openaiError("Missing scopes: model.request", { code: "missing_scope" }), "key"],
    ["azure", openaiError("Access denied due to Virtual Network/Firewall rules.", { code: "403" }), "key"],
    [
      "azure",
      openaiError(
        "The principal `p` lacks the required data action `Microsoft.CognitiveServices/accounts/OpenAI/deployments/chat/completions/action`",
      ),
      "model",
    ],
  ])(
    "%s denies the operator's account with 403 %s: the client gets a hint, the %s is counted against",
    (name, body, blame) => {
      const failure = providers[name]?.failureOf(403, body);
      expect(failure).toMatchObject({ code: "upstream_auth_failed", blame, retryable: true });
      expect(failure?.message).toContain("operator must grant it");
    },
  );

  test("a refused reasoning signature is recognised by its code or its message", () => {
    const refused = (error: object) => providers["openai"]?.failureOf(400, JSON.stringify({ error }));
    expect(refused({ message: "no", code: "invalid_encrypted_content" })?.isAboutReasoningData).toBe(true);
    expect(refused({ message: "messages.1: Invalid `signature` in `thinking` block" })?.isAboutReasoningData).toBe(
      true,
    );
    expect(refused({ message: "Function call is missing a thought_signature" })?.isAboutReasoningData).toBe(true);
    expect(refused({ message: "max_tokens is too large" })).not.toHaveProperty("isAboutReasoningData");
  });

  test("the state of a task has a separate URL", () => {
    const poll = { ...call, act: "poll", baseUrl: "https://v.example/api/v1", wire: "qwen-image-tasks" } as const;
    expect(providers["qwen"]?.request({ ...poll, task: "a/b" })).toMatchObject({
      url: { href: "https://v.example/api/v1/tasks/a%2Fb" },
      method: "GET",
    });
  });

  test("Gemini's retry delay is read from the body", () => {
    const body = geminiError("RESOURCE_EXHAUSTED", [{ "@type": "RetryInfo", retryDelay: "12s" }]);
    expect(providers["gemini"]?.failureOf(429, body).retryAfterMs).toBe(12_000);
  });

  test("only names are passed on as code and field", () => {
    const body = JSON.stringify({ error: { message: "m", code: "see https://10.0.0.1/x", param: "a b" } });
    const failure = providers["openai"]?.failureOf(400, body);
    expect([failure?.vendorCode, failure?.param]).toEqual([undefined, undefined]);
  });
});
