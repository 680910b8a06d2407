import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { UpstreamWire } from "@modelgate/contracts";
import { bedrock } from "../src/bedrock/index.ts";
import { CredentialsFailed, signRequest } from "../src/index.ts";

const baseUrl = "https://bedrock-runtime.us-east-1.amazonaws.com";
const key = "AKIDEXAMPLE000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".replace("AKID", "AKIA");
const nowMs = Date.parse("2015-08-30T12:36:00Z");
const call = { act: "answer", baseUrl, key, nowMs, stream: false, body: Buffer.from("{}") } as const;

function requestFor(wire: UpstreamWire, model: string, more: object = {}) {
  return bedrock.request({ ...call, wire, model, ...more });
}
const textOf = (body: unknown): string => String(body);

describe("requests", () => {
  test.each<[UpstreamWire, string, boolean, string]>([
    ["converse", "amazon.nova-pro-v1:0", false, "/model/amazon.nova-pro-v1%3A0/converse"],
    ["converse", "meta.llama3-1", true, "/model/meta.llama3-1/converse-stream"],
    ["messages", "anthropic.claude-x-v1:0", false, "/model/anthropic.claude-x-v1%3A0/invoke"],
    ["messages", "us.anthropic.claude-x", true, "/model/us.anthropic.claude-x/invoke-with-response-stream"],
    ["cohere-rerank", "cohere.rerank-v3-5:0", false, "/model/cohere.rerank-v3-5%3A0/invoke"],
  ])("%s of %s (streamed: %s) go to %s", (wire, model, stream, path) => {
    expect(requestFor(wire, model, { stream }).url.href).toBe(baseUrl + path);
  });

  test("a profile's ARN is one step of the path", () => {
    const arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x";
    expect(requestFor("converse", arn).url.pathname).toBe(`/model/${encodeURIComponent(arn)}/converse`);
  });

  test("Claude's request is unchanged except for model, stream, version and tags", () => {
    const body = Buffer.from('{"model":"m", "stream":true, "max_tokens":5, "tags":{}, "big":12345678901234567890}');
    const headers = { "anthropic-beta": "a-1, request-tags-2026-08-21, b-2", "anthropic-version": "2023-06-01" };
    const request = requestFor("messages", "anthropic.claude-x", { body, headers, query: { beta: "true" } });
    expect(textOf(request.body)).toBe(
      '{"max_tokens":5, "big":12345678901234567890,"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a-1","b-2"]}',
    );
    expect(request.headers).not.toHaveProperty("anthropic-beta");
    expect(request.url.search).toBe("");
  });

  test.each([
    ["cohere.rerank-v3-5:0", '{"query":"q","api_version":2}'],
    ["amazon.rerank-v1:0", '{"query":"q"}'],
  ])("rerank of %s", (model, body) => {
    const request = Buffer.from('{"model":"m","query":"q"}');
    expect(textOf(requestFor("cohere-rerank", model, { body: request }).body)).toBe(body);
  });
});

describe("wiresAt", () => {
  test.each<[string, readonly UpstreamWire[]]>([
    ["anthropic.claude-sonnet-4", ["messages", "converse"]],
    ["eu.anthropic.claude-sonnet-4", ["messages", "converse"]],
    ["arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x", ["messages", "converse"]],
    ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", ["converse"]],
    ["amazon.nova-pro-v1:0", ["converse"]],
    ["amazon.rerank-v1:0", ["cohere-rerank"]],
  ])("%s is served by the wires %j", (model, wires) => {
    expect(bedrock.wiresAt?.(baseUrl, model)).toEqual(wires);
  });
});

describe("the region in an address", () => {
  test.each([
    [baseUrl, undefined],
    ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", undefined],
    ["https://vpce-1-abc.bedrock-runtime.eu-central-1.vpce.amazonaws.com", undefined],
    ["https://proxy.example/bedrock?region=eu-west-3", undefined],
    ["https://proxy.example/bedrock", "has no region"],
    ["https://bedrock-runtime.amazonaws.com", "has no region"],
    ["https://proxy.example/?region=useast1", "has an invalid region: useast1"],
    [`${baseUrl}?region=us-east-1`, undefined],
    [`${baseUrl}?region=eu-west-3`, "is in region us-east-1, but its query names eu-west-3"],
    ["https://proxy.example/?region=eu-west-3&a=b", "has a query that is not region=REGION"],
  ])("%s: %s", (address, problem) => {
    const actualProblem = bedrock.addressProblem?.(address);
    if (problem === undefined) expect(actualProblem).toBeUndefined();
    else expect(actualProblem).toContain(problem);
  });

  test("is in the credential's scope, and not in the URL", async () => {
    const proxy = { baseUrl: "https://proxy.example/b?region=eu-west-3", key, nowMs };
    const request = await signRequest(bedrock, requestFor("converse", "m", proxy), proxy);
    expect(request.headers["authorization"]).toContain("/20150830/eu-west-3/bedrock/aws4_request");
    expect(request.url.href).toBe("https://proxy.example/b/model/m/converse");
  });
});

describe("signing", () => {
  const unsigned = requestFor("converse", "m", { requestId: "r-1" });

  test("an access key signs host, content type, time and body", async () => {
    const { headers } = await signRequest(bedrock, unsigned, call);
    expect(headers).toMatchObject({ "x-amz-date": "20150830T123600Z", "x-request-id": "r-1" });
    expect(headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE000000\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(headers).not.toHaveProperty("host");
    const other = await signRequest(bedrock, { ...unsigned, body: Buffer.from("[]") }, call);
    expect(other.headers["authorization"]).not.toBe(headers["authorization"]);
  });

  test("a session token is sent and signed", async () => {
    const { headers } = await signRequest(bedrock, unsigned, { ...call, key: `${key}:SESSION:TOKEN` });
    expect(headers).toMatchObject({ "x-amz-security-token": "SESSION:TOKEN" });
    expect(headers["authorization"]).toContain("x-amz-security-token");
  });

  test("a Bedrock API key is sent unchanged", async () => {
    const { headers } = await signRequest(bedrock, unsigned, { ...call, key: "bedrock-api-key-abc" });
    expect(headers).toMatchObject({ authorization: "Bearer bedrock-api-key-abc" });
    expect(headers).not.toHaveProperty("x-amz-date");
  });

  describe("with Amazon's credential chain", () => {
    const folder = mkdtempSync(join(tmpdir(), "aws-"));
    beforeAll(() => {
      const file = join(folder, "credentials");
      writeFileSync(file, "[mine]\naws_access_key_id = AKIAMINE\naws_secret_access_key = secret\n");
      vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
      vi.stubEnv("AWS_CONFIG_FILE", join(folder, "none"));
      vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    });
    afterAll(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });

    test("a profile signs", async () => {
      const { headers } = await signRequest(bedrock, unsigned, { ...call, key: "aws:mine" });
      expect(headers["authorization"]).toContain("Credential=AKIAMINE/");
    });

    test("the environment signs", async () => {
      vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAENV");
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
      const { headers } = await signRequest(bedrock, unsigned, { ...call, key: "aws" });
      expect(headers["authorization"]).toContain("Credential=AKIAENV/");
    });

    test("a missing profile is reported in one line", async () => {
      const signing = signRequest(bedrock, unsigned, { ...call, key: "aws:absent" });
      await expect(signing).rejects.toThrow(CredentialsFailed);
      await expect(signing).rejects.toThrow(/^AWS credentials are not available for the profile absent: [^\n]+$/);
    });
  });
});

describe("failures", () => {
  test.each<[number, string, string, string]>([
    [403, "The security token included in the request is expired", "upstream_auth_failed", "key"],
    [403, "The security token included in the request is invalid.", "upstream_auth_failed", "key"],
    [403, "Signature expired: 20150830T1 is now earlier than 20150830T2", "upstream_auth_failed", "key"],
    [403, "Credential should be scoped to a valid region.", "upstream_auth_failed", "key"],
    [403, "Authentication failed: Please make sure your API Key is valid.", "upstream_auth_failed", "key"],
    [403, "You don't have access to the model with the specified model ID.", "upstream_error", "model"],
    [
      403,
      "User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:us-east-1::foundation-model/m because no identity-based policy allows the bedrock:InvokeModel action",
      "upstream_auth_failed",
      "model",
    ],
    [403, "Your account is not authorized to invoke this API operation.", "upstream_auth_failed", "key"],
    [400, "The provided model identifier is invalid.", "upstream_error", "model"],
    [400, "Invocation of model ID x with on-demand throughput isn't supported.", "upstream_error", "model"],
    [404, "This model version has reached the end of its life.", "upstream_error", "model"],
    [400, "messages.0: text must not be blank", "upstream_rejected", "request"],
    [429, "Too many requests, please wait before trying again.", "upstream_rate_limited", "key"],
    [424, "The model failed.", "upstream_error", "channel"],
    [408, "The model took too long.", "upstream_timeout", "channel"],
    [503, "Unable to serve.", "upstream_error", "channel"],
  ])("%i %s: %s, counted against the %s", (status, message, code, blame) => {
    expect(bedrock.failureOf(status, JSON.stringify({ message }))).toMatchObject({ code, blame });
  });
});
