import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startScriptedServer, type Script, type ScriptedRequest, type ScriptedServer } from "@modelgate/testkit";

const minuteMs = 60_000;

let server: ScriptedServer;
let answer: Script;
const formOf = ({ body }: ScriptedRequest): URLSearchParams => new URLSearchParams(body);
const folder = mkdtempSync(join(tmpdir(), "identities-"));
const tokenFile = join(folder, "token");
let host = "";
beforeAll(async () => {
  server = await startScriptedServer((request, response) => answer(request, response));
  host = `127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  writeFileSync(tokenFile, "the-pods-token");
  vi.stubEnv("HOME", folder);
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "none"));
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "none"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_REGION", "us-east-1");
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"])
    vi.stubEnv(name, undefined);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-10-01T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Returns a function that signs requests with newly loaded modules, without cached credentials. */
async function newSigner(vendor: "bedrock" | "vertex", key: string) {
  vi.resetModules();
  const { providers, signRequest } = await import("../src/index.ts");
  const provider = providers[vendor];
  if (provider === undefined) throw new Error("no such vendor");
  const baseUrl =
    vendor === "bedrock"
      ? "https://bedrock-runtime.us-east-1.amazonaws.com"
      : "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1";
  return async () => {
    const call = { baseUrl, key, nowMs: Date.now() };
    const body = Buffer.from("{}");
    const wire = vendor === "bedrock" ? "converse" : "content";
    const request = provider.request({ act: "answer", ...call, wire, model: "m", stream: false, body });
    return (await signRequest(provider, request, call)).headers;
  };
}

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * minuteMs).toISOString();

describe("a pod of EKS, or a task of ECS", () => {
  beforeEach(() => {
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://${host}/v1/credentials`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", tokenFile);
    let fetched = 0;
    answer = () => ({
      body: {
        AccessKeyId: `ASIAPOD${++fetched}`,
        SecretAccessKey: "secret",
        Token: `session-${fetched}`,
        Expiration: inMinutes(30),
      },
    });
  });

  test("signs with its agent's credentials for the pod's token, fetched once for many calls", async () => {
    const headersOf = await newSigner("bedrock", "aws");
    for (const _ of [1, 2, 3]) {
      const headers = await headersOf();
      expect(headers["authorization"]).toContain("Credential=ASIAPOD1/");
      expect(headers["x-amz-security-token"]).toBe("session-1");
    }
    expect(server.requests).toMatchObject([
      { method: "GET", url: "/v1/credentials", headers: { authorization: "the-pods-token" } },
    ]);
  });

  test("fetches new credentials minutes before the old ones expire, with the file's current token", async () => {
    const headersOf = await newSigner("bedrock", "aws");
    await headersOf();
    vi.setSystemTime(Date.now() + 20 * minuteMs);
    expect((await headersOf())["x-amz-security-token"]).toBe("session-1");
    writeFileSync(tokenFile, "the-pods-next-token");
    vi.setSystemTime(Date.now() + 6 * minuteMs);
    // Calls use the old credentials until the new ones arrive.
    expect((await headersOf())["x-amz-security-token"]).toBe("session-1");
    await vi.waitFor(async () => expect((await headersOf())["x-amz-security-token"]).toBe("session-2"), 60_000);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "the-pods-token",
      "the-pods-next-token",
    ]);
  });
});

describe("a web identity", () => {
  beforeEach(() => {
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", tokenFile);
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/gate");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", `http://${host}/sts`);
    let fetched = 0;
    answer = () => ({
      headers: { "content-type": "text/xml" },
      body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
        <Credentials><AccessKeyId>ASIAROLE${++fetched}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
        <SessionToken>session-${fetched}</SessionToken><Expiration>${inMinutes(60)}</Expiration></Credentials>
        </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
    });
  });

  test("assumes its role with the token service, once for many calls, and again before expiry", async () => {
    const headersOf = await newSigner("bedrock", "aws");
    for (const _ of [1, 2]) expect((await headersOf())["authorization"]).toContain("Credential=ASIAROLE1/");
    vi.setSystemTime(Date.now() + 56 * minuteMs);
    await vi.waitFor(async () => expect((await headersOf())["x-amz-security-token"]).toBe("session-2"), 60_000);
    expect((await headersOf())["authorization"]).toContain("Credential=ASIAROLE2/");
    expect(server.requests).toHaveLength(2);
    for (const request of server.requests)
      expect(Object.fromEntries(formOf(request))).toMatchObject({
        Action: "AssumeRoleWithWebIdentity",
        RoleArn: "arn:aws:iam::123456789012:role/gate",
        WebIdentityToken: "the-pods-token",
      });
  });
});

describe("a machine or a pod of Google's", () => {
  beforeEach(() => {
    vi.stubEnv("GCE_METADATA_HOST", host);
    let fetched = 0;
    answer = ({ url }) =>
      url.includes("/token")
        ? {
            headers: { "metadata-flavor": "Google" },
            body: { access_token: `ya29.pod-${++fetched}`, expires_in: 3_600, token_type: "Bearer" },
          }
        : {
            headers: { "content-type": "text/plain", "metadata-flavor": "Google" },
            body: url.includes("universe") ? "googleapis.com" : "ok",
          };
  });

  test("calls with the token of its metadata server, cached, and fetched again before expiry", async () => {
    const headersOf = await newSigner("vertex", "google");
    for (const _ of [1, 2, 3]) expect((await headersOf())["authorization"]).toBe("Bearer ya29.pod-1");
    vi.setSystemTime(Date.now() + 50 * minuteMs);
    expect((await headersOf())["authorization"]).toBe("Bearer ya29.pod-1");
    vi.setSystemTime(Date.now() + 6 * minuteMs);
    expect((await headersOf())["authorization"]).toBe("Bearer ya29.pod-2");
    const tokens = server.requests.filter(({ url }) => url.includes("/token"));
    expect(tokens).toHaveLength(2);
    expect(tokens.every(({ headers }) => headers["metadata-flavor"] === "Google")).toBe(true);
  });
});

describe("an external workload's identity", () => {
  const document = () => ({
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/eks",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `http://${host}/v1/token`,
    credential_source: { file: tokenFile },
  });
  beforeEach(() => {
    let fetched = 0;
    answer = () => ({
      body: {
        access_token: `ya29.exchanged-${++fetched}`,
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 3_600,
      },
    });
  });

  test.each([
    ["in the key", () => JSON.stringify(document())],
    [
      "in the file that the environment names",
      () => {
        const path = join(folder, "external.json");
        writeFileSync(path, JSON.stringify(document()));
        vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", path);
        return "google";
      },
    ],
  ])("%s is exchanged for a token, cached, and exchanged again before expiry", async (_, keyOf) => {
    const headersOf = await newSigner("vertex", keyOf());
    for (const __ of [1, 2]) expect((await headersOf())["authorization"]).toBe("Bearer ya29.exchanged-1");
    writeFileSync(tokenFile, "the-pods-next-token");
    vi.setSystemTime(Date.now() + 56 * minuteMs);
    expect((await headersOf())["authorization"]).toBe("Bearer ya29.exchanged-2");
    const exchanges = server.requests.filter(({ method, url }) => `${method} ${url}` === "POST /v1/token").map(formOf);
    expect(exchanges.map((form) => form.get("subject_token"))).toEqual(["the-pods-token", "the-pods-next-token"]);
    expect(exchanges[0]?.get("audience")).toBe(document().audience);
  });
});
