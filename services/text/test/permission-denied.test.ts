import { afterAll, beforeAll, expect, test } from "vitest";
import { isWithin, parseCooldownName, readChannelStates } from "@modelgate/channels";
import { startScriptedServer, until, type ScriptedServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

const key = "sk-denied-0123456789";
const project = "projects/operators-project/locations/us-central1/publishers/google/models/gemini-3-flash";
const message = `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/${project}' (or it may not exist).`;

const cache = "projects/operators-project/locations/us-central1/cachedContents/1";
/** Message of Vertex AI. The Gemini API does not name the permission. */
const cacheMessage = `Permission 'aiplatform.cachedContents.get' denied on resource '//aiplatform.googleapis.com/${cache}' (or it may not exist).`;

/** Simulates Google, Amazon and OpenAI for a cloud account that has not granted the model to the gateway's role. */
let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "IAM_PERMISSION_DENIED" };
  const arn = "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite";
  vendor = await startScriptedServer(({ path, body }) =>
    path.startsWith("/openai/")
      ? {
          status: 403,
          body: {
            error: {
              message: "You have insufficient permissions for this operation. Missing scopes: model.request.",
              type: "invalid_request_error",
              code: "missing_scope",
              param: null,
            },
          },
        }
      : path.startsWith("/google/") && body.includes("cachedContent")
        ? {
            status: 403,
            body: { error: { code: 403, message: cacheMessage, status: "PERMISSION_DENIED", details: [reason] } },
          }
        : path.startsWith("/google/")
          ? { status: 403, body: { error: { code: 403, message, status: "PERMISSION_DENIED", details: [reason] } } }
          : {
              status: 403,
              headers: { "x-amzn-errortype": "AccessDeniedException" },
              body: {
                Message: `User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: ${arn}`,
              },
            },
  );
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"], vendorStores: "shared" } },
      models: {
        google: { kind: "chat" },
        amazon: { kind: "chat" },
        openai: { kind: "chat" },
        cached: { kind: "chat" },
      },
      channels: [
        {
          id: "google",
          provider: "gemini",
          baseUrl: `${vendor.url}/google`,
          keys: ["the-operators-key"],
          models: ["google"],
        },
        {
          id: "cached",
          provider: "gemini",
          baseUrl: `${vendor.url}/google`,
          keys: ["the-operators-key"],
          models: ["cached"],
        },
        {
          id: "openai",
          provider: "openai",
          baseUrl: `${vendor.url}/openai/v1`,
          keys: ["the-operators-key"],
          models: ["openai"],
        },
        {
          id: "amazon",
          provider: "bedrock",
          baseUrl: `${vendor.url}/amazon`,
          keys: ["the-operators-key"],
          models: ["amazon"],
        },
      ],
      accounts: { one: { balance: "10.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

test.each(["google", "amazon", "openai"])(
  "%s denies the operator's account: clients get 502 with a hint, without the account's name",
  async (model) => {
    const answer = await area.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi" }] }, key);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([
      502,
      { error: { code: "upstream_auth_failed", message: expect.stringContaining("operator must grant it") } },
    ]);
    expect(text).not.toMatch(/operators-project|arn:aws/);
  },
);

test.each([
  ["google", /aiplatform\.endpoints\.predict' denied/],
  ["amazon", /not authorized to perform: bedrock:InvokeModel/],
  ["openai", /Missing scopes: model\.request/],
])("%s: the state of the channel tells the operator which permission is missing", async (model, vendorMessage) => {
  for (const content of ["1", "2", "3"])
    await area.post("/v1/chat/completions", { model, messages: [{ role: "user", content }] }, key);
  const [, cooldown] = await until("the cooldown to be shared", async () =>
    [...(await readChannelStates(area.redis)).accountCooldowns].find(([name]) =>
      isWithin(parseCooldownName(name).scope, model),
    ),
  );
  expect(cooldown).toMatchObject({ account: "one", vendorMessage: expect.stringMatching(vendorMessage) });
});

test("a cached content that the client may not read is the client's error, and the key is used again", async () => {
  const before = vendor.requests.length;
  const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }], cachedContent: "cachedContents/1" };
  for (let call = 0; call < 3; call++) {
    const answer = await area.post("/v1beta/models/cached:generateContent", body, key);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([
      400,
      expect.stringContaining("cached content or file that the request names"),
    ]);
    expect(text).not.toContain("operators-project");
  }
  expect(vendor.requests.length - before).toBe(3);
});
