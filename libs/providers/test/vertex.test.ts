import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { UpstreamWire } from "@modelgate/contracts";
import { CredentialsFailed, signRequest } from "../src/index.ts";
import { vertex } from "../src/vertex/index.ts";

const baseUrl = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1";
const call = { act: "answer", baseUrl, key: "ya29.token", nowMs: 0, stream: false, body: Buffer.from("{}") } as const;
const requestFor = (wire: UpstreamWire, model: string, more: object = {}) =>
  vertex.request({ ...call, wire, model, ...more });

const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const account = {
  type: "service_account",
  project_id: "p",
  private_key_id: "kid",
  private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }),
  client_email: "gate@p.iam.gserviceaccount.com",
};

describe("requests", () => {
  test.each<[UpstreamWire, string, boolean, string]>([
    ["content", "gemini-3-flash", false, "/publishers/google/models/gemini-3-flash:generateContent"],
    ["content", "gemini-3-flash", true, "/publishers/google/models/gemini-3-flash:streamGenerateContent?alt=sse"],
    ["count-content", "g", false, "/publishers/google/models/g:countTokens"],
    ["messages", "claude-x@20250514", false, "/publishers/anthropic/models/claude-x%4020250514:rawPredict"],
    ["messages", "claude-x", true, "/publishers/anthropic/models/claude-x:streamRawPredict"],
    ["count-messages", "claude-x", false, "/publishers/anthropic/models/count-tokens:rawPredict"],
    ["chat", "meta/llama-4", true, "/endpoints/openapi/chat/completions"],
  ])("%s of %s (streamed: %s) go to %s", (wire, model, stream, path) => {
    expect(requestFor(wire, model, { stream }).url.href).toBe(baseUrl + path);
  });

  test("Claude's request has its version in the body and its beta features in a header", () => {
    const headers = { "anthropic-beta": "request-tags-2026-08-21, a-1", "anthropic-version": "2023-06-01" };
    const body = Buffer.from('{"model":"m","max_tokens":5,"tags":{"a":"b"},"stream":true}');
    const request = requestFor("messages", "claude-x", { body, headers, stream: true });
    expect(Buffer.isBuffer(request.body) && request.body.toString()).toBe(
      '{"max_tokens":5,"stream":true,"anthropic_version":"vertex-2023-10-16"}',
    );
    expect(request.headers).toMatchObject({ "anthropic-beta": "a-1" });
    expect(request.headers).not.toHaveProperty("anthropic-version");
    const counted = requestFor("count-messages", "claude-x", { body, headers }).body;
    expect(Buffer.isBuffer(counted) && counted.toString()).toBe('{"model":"m","max_tokens":5,"stream":true}');
    const onlyTags = { "anthropic-beta": "request-tags-2026-08-21" };
    expect(requestFor("messages", "claude-x", { headers: onlyTags }).headers).not.toHaveProperty("anthropic-beta");
  });
});

test.each<[string, readonly UpstreamWire[]]>([
  ["claude-sonnet-4@20250514", ["messages", "count-messages"]],
  ["gemini-3-flash", ["content", "count-content", "content-transcripts", "gemini-live"]],
  ["meta/llama-4", ["chat"]],
])("%s is served by the wires %j", (model, wires) => {
  expect(vertex.wiresAt?.(baseUrl, model)).toEqual(wires);
});

test.each([
  [baseUrl, undefined],
  ["https://aiplatform.googleapis.com/v1/projects/p/locations/global", undefined],
  ["https://us-central1-aiplatform.googleapis.com", "has no project and region"],
  [
    "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4",
    "is in region us-central1, but its path names europe-west4",
  ],
])("the address %s: %s", (address, problem) => {
  const actualProblem = vertex.addressProblem?.(address);
  if (problem === undefined) expect(actualProblem).toBeUndefined();
  else expect(actualProblem).toContain(problem);
});

test.each([
  ["google", undefined],
  ["ya29.a", undefined],
  [JSON.stringify(account, undefined, 2), undefined],
  ["{", "is not a Google credentials file"],
  ["{}", "is not a Google credentials file"],
  ["a b", "contains characters that are not allowed in a header"],
])("the key %s: %s", (key, problem) => {
  const actualProblem = vertex.keyProblem?.(key);
  if (problem === undefined) expect(actualProblem).toBeUndefined();
  else expect(actualProblem).toContain(problem);
});

describe("the credentials of a request", () => {
  const unsigned = requestFor("content", "g");

  test("an access token or an API key is sent unchanged", async () => {
    expect((await signRequest(vertex, unsigned, call)).headers).toMatchObject({ authorization: "Bearer ya29.token" });
    const { headers } = await signRequest(vertex, unsigned, { ...call, key: "AIzaKey" });
    expect(headers).toMatchObject({ "x-goog-api-key": "AIzaKey" });
  });

  test("a service account signs a token for an hour, and reuses it", async () => {
    const key = JSON.stringify(account);
    const [one, two] = [
      await signRequest(vertex, unsigned, { ...call, key }),
      await signRequest(vertex, unsigned, { ...call, key }),
    ];
    expect(one.headers["authorization"]).toBe(two.headers["authorization"]);
    const [head = "", claims = "", signature = ""] = (one.headers["authorization"] ?? "").slice(7).split(".");
    const isSigned = verify(
      "RSA-SHA256",
      Buffer.from(`${head}.${claims}`),
      createPublicKey(pair.publicKey.export({ type: "spki", format: "pem" })),
      Buffer.from(signature, "base64url"),
    );
    const claimed = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect([isSigned, claimed.iss, claimed.exp - claimed.iat]).toEqual([true, account.client_email, 3_600]);
    expect(claimed.scope).toBe("https://www.googleapis.com/auth/cloud-platform");
  });

  test("credentials that cannot sign are reported in one line", async () => {
    const key = JSON.stringify({ ...account, private_key: "no key" });
    const signing = signRequest(vertex, unsigned, { ...call, key });
    await expect(signing).rejects.toThrow(CredentialsFailed);
    await expect(signing).rejects.toThrow(/^Google credentials are not available: [^\n]+$/);
  });
});

test.each<[number, object, string, string]>([
  [401, { error: { code: 401, status: "UNAUTHENTICATED", message: "No" } }, "upstream_auth_failed", "key"],
  [404, { error: { status: "NOT_FOUND", message: "Publisher Model x was not found" } }, "upstream_error", "model"],
  [400, { type: "error", error: { type: "invalid_request_error", message: "a" } }, "upstream_rejected", "request"],
])("%i %j is %s, counted against the %s", (status, body, code, blame) => {
  expect(vertex.failureOf(status, JSON.stringify(body))).toMatchObject({ code, blame });
});

test("sessions have paths outside the versioned ones, and name their model with its project", () => {
  const session = { act: "session", baseUrl, key: "ya29.token", nowMs: 0, wire: "gemini-live", model: "live" } as const;
  expect(vertex.request(session).url.href).toBe(
    "https://us-central1-aiplatform.googleapis.com/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent",
  );
  expect(vertex.modelInSession?.(baseUrl, "live")).toBe(
    "projects/p/locations/us-central1/publishers/google/models/live",
  );
});
