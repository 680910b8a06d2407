import { runToEnd } from "@modelgate/formats/json";
import { expect, test } from "vitest";
import { providers } from "../../src/index.ts";
import { failureOf as jimengFailure } from "../../src/jimeng/index.ts";
import { failureOf as klingFailure } from "../../src/kling/index.ts";
import type { VendorFailure } from "../../src/provider.ts";
import type { StartCall } from "../../src/call.ts";

const nowMs = 1_763_700_000_000;
type At = Pick<StartCall, "baseUrl" | "key" | "nowMs" | "wire">;
const openai: At = { baseUrl: "https://v.example/v1/", key: "k", wire: "videos", nowMs };
const kling: At = { baseUrl: "https://k.example", key: "AK|SK", wire: "kling-video", nowMs };
const jimeng: At = { baseUrl: "https://j.example", key: "AK|SK", wire: "jimeng-video", nowMs };
const gemini: At = { baseUrl: "https://g.example", key: "AIza", wire: "veo-video", nowMs };
const projectUrl = "https://x.example/v1/projects/p/locations/l";
const vertex: At = { baseUrl: projectUrl, key: "ya29.t", wire: "vertex-video", nowMs };
const qwen: At = { baseUrl: "https://q.example/api/v1", key: "k", wire: "wan-video", nowMs };
const volcengine: At = { baseUrl: "https://a.example/api/v3", key: "k", wire: "seedance-video", nowMs };
const start = { act: "start", model: "m", body: { prompt: "a boat" }, fromImage: false } as const;
const addressed = ({ method, url }: { readonly method: string; readonly url: URL }) => `${method} ${url.href}`;

test.each([
  ["openai", openai, "POST https://v.example/v1/videos"],
  ["openai", { ...openai, wire: "video-generations" }, "POST https://v.example/v1/video/generations"],
  ["kling", kling, "POST https://k.example/v1/videos/text2video"],
  ["kling", { ...kling, key: "sk-gateway" }, "POST https://k.example/kling/v1/videos/text2video"],
  ["jimeng", jimeng, "POST https://j.example/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31"],
  ["gemini", gemini, "POST https://g.example/v1beta/models/m:predictLongRunning"],
  ["vertex", vertex, `POST ${projectUrl}/publishers/google/models/m:predictLongRunning`],
  ["qwen", qwen, "POST https://q.example/api/v1/services/aigc/video-generation/video-synthesis"],
  ["volcengine", volcengine, "POST https://a.example/api/v3/contents/generations/tasks"],
] as const)("a task is started at %s", (name, call, address) => {
  const work = providers[name]?.start?.({ ...call, ...start });
  const request = work && runToEnd(work);
  expect(request && addressed(request)).toBe(address);
});

test.each([
  ["openai", openai, false, "GET https://v.example/v1/videos/t1"],
  ["openai", { ...openai, wire: "video-generations" }, false, "GET https://v.example/v1/video/generations/t1"],
  ["kling", kling, true, "GET https://k.example/v1/videos/image2video/t1"],
  ["jimeng", jimeng, false, "POST https://j.example/?Action=CVSync2AsyncGetResult&Version=2022-08-31"],
] as const)("is polled at %s's URL", (name, call, fromImage, address) => {
  const provider = providers[name];
  const task = provider?.taskOf?.("t1", { model: "a/model", fromImage }) ?? "t1";
  const request = provider?.request({ ...call, act: "poll", task });
  expect(request && addressed(request)).toBe(address);
  if (name === "jimeng") expect(request?.body).toEqual(Buffer.from('{"req_key":"a/model","task_id":"t1"}'));
});

test.each([
  ["gemini", gemini, "models/m/operations/1", "GET https://g.example/v1beta/models/m/operations/1"],
  [
    "vertex",
    { ...vertex, baseUrl: `${projectUrl}?storageUri=gs://b` },
    "projects/p/locations/l/publishers/google/models/veo-3/operations/1",
    `POST ${projectUrl}/publishers/google/models/veo-3:fetchPredictOperation`,
  ],
  ["qwen", qwen, "t1", "GET https://q.example/api/v1/tasks/t1"],
  ["volcengine", volcengine, "cgt-1", "GET https://a.example/api/v3/contents/generations/tasks/cgt-1"],
] as const)("is polled by the name that %s returned", (name, call, task, address) => {
  const request = providers[name]?.request({ ...call, act: "poll", task });
  expect(request && addressed(request)).toBe(address);
  if (name === "vertex") expect(request?.body).toEqual(Buffer.from(JSON.stringify({ operationName: task })));
});

test("videos of Vertex are written to the bucket in the base URL, and fetched from it", () => {
  const body = { instances: [], parameters: { sampleCount: 1 } };
  const call = { ...vertex, baseUrl: `${projectUrl}/?storageUri=gs://films/made` };
  const request = runToEnd(providers["vertex"]?.start?.({ ...call, ...start, body }) ?? [].values());
  const expectedBody = { instances: [], parameters: { sampleCount: 1, storageUri: "gs://films/made" } };
  expect(request?.body).toEqual(Buffer.from(JSON.stringify(expectedBody)));
  const at = (baseUrl: string) =>
    providers["vertex"]?.request({ ...vertex, baseUrl, act: "file", url: new URL("gs://films/made/1/a b.mp4") }).url
      .href;
  const path = "/storage/v1/b/films/o/made%2F1%2Fa%20b.mp4?alt=media";
  const google = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1";
  expect(at(google)).toBe(`https://storage.googleapis.com${path}`);
  expect(at("https://proxy.example/google/v1/projects/p/locations/l")).toBe(`https://proxy.example/google${path}`);
});

test("an older model of Wan with first and last frame has a separate service", () => {
  const body = { input: { first_frame_url: "https://x.example/a", last_frame_url: "https://x.example/b" } };
  const request = runToEnd(providers["qwen"]?.start?.({ ...qwen, ...start, body }) ?? [].values());
  expect(request?.url.pathname).toBe("/api/v1/services/aigc/image2video/video-synthesis");
  expect(request?.headers["x-dashscope-async"]).toBe("enable");
});

test.each([
  [401, "AuthenticationError", "upstream_auth_failed", "key"],
  [403, "AccountOverdueError", "upstream_auth_failed", "key"],
  [404, "ModelNotOpen", "upstream_error", "model"],
  [404, "InvalidEndpointOrModel.NotFound", "upstream_error", "model"],
  [400, "InputTextSensitiveContentDetected", "upstream_rejected", "request"],
  [400, "InputImageSensitiveContentDetected.PrivacyInformation", "upstream_rejected", "request"],
  [429, "RateLimitExceeded.EndpointRPMExceeded", "upstream_rate_limited", "key"],
  [429, "ServerOverloaded", "upstream_overloaded", "channel"],
  [500, "InternalServiceError", "upstream_error", "channel"],
] as const)("Ark's %i %s becomes a failure with its code", (status, vendorCode, code, blame) => {
  const body = JSON.stringify({ error: { code: vendorCode, message: "m", param: "", type: "" } });
  expect(providers["volcengine"]?.failureOf(status, body)).toMatchObject({ code, blame });
});

test.each(["gemini", "vertex", "qwen", "volcengine"] as const)("%s does not remix videos", (name) => {
  const work = providers[name]?.start?.({ ...{ gemini, vertex, qwen, volcengine }[name], ...start, remixOf: "t1" });
  expect(() => work?.next()).toThrow("cannot remix videos");
});

test("an image is sent as a file of a form, and its URL in JSON", () => {
  const startRequest = (more: object) =>
    runToEnd(providers["openai"]?.start?.({ ...openai, ...start, ...more }) ?? [].values());
  const file = { name: "input_reference", mediaType: "image/png", data: Buffer.from("PNG!").toString("base64") };
  const form = startRequest({ file });
  expect(form?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
  const body = form?.body;
  expect(Buffer.isBuffer(body) ? body.toString() : body).toContain(
    'name="input_reference"; filename="input_reference.png"\r\ncontent-type: image/png\r\n\r\nPNG!\r\n',
  );
  const json = startRequest({ body: { input_reference: { image_url: "https://x.example" } } });
  expect(json?.headers["content-type"]).toBe("application/json");
});

test.each([
  [klingFailure, 401, { code: 1004, message: "expired" }, "upstream_auth_failed", "key"],
  [klingFailure, 429, { code: 1302, message: "fast" }, "upstream_rate_limited", "key"],
  [klingFailure, 400, { code: 1301, message: "unsafe" }, "upstream_rejected", "request"],
  [klingFailure, 503, { code: 5001, message: "busy" }, "upstream_error", "channel"],
  [jimengFailure, 400, { code: 50_412, message: "review" }, "upstream_rejected", "request"],
  [jimengFailure, 429, { code: 50_430, message: "many" }, "upstream_rate_limited", "key"],
  [jimengFailure, 500, { code: 50_500, message: "oh" }, "upstream_error", "channel"],
  [
    jimengFailure,
    401,
    { ResponseMetadata: { Error: { Code: "SignatureDoesNotMatch" } } },
    "upstream_auth_failed",
    "key",
  ],
  [jimengFailure, 401, { code: 50_400, message: "Access Denied" }, "upstream_auth_failed", "key"],
] as const)("%# an error of the vendor becomes a failure with its code", (failureOf, status, body, code, blame) => {
  expect(failureOf(status, JSON.stringify(body))).toMatchObject({ code, blame });
});

/** Codes that the vendors document, with the part that each blames. */
test.each<[(status: number, body: string) => VendorFailure, string, number, readonly number[]]>([
  [klingFailure, "key", 401, [1000, 1001, 1002, 1003, 1004]],
  [klingFailure, "key", 429, [1100, 1101, 1102]],
  [klingFailure, "model", 403, [1103]],
  [klingFailure, "request", 400, [1200, 1201, 1300, 1301]],
  [klingFailure, "wire", 404, [1202]],
  [klingFailure, "model", 404, [1203]],
  [klingFailure, "key", 429, [1302, 1303, 1304]],
  [klingFailure, "channel", 500, [5000]],
  [klingFailure, "channel", 503, [5001]],
  [klingFailure, "channel", 504, [5002]],
  [jimengFailure, "request", 400, [50_411, 50_412, 50_413, 50_511, 50_512, 50_516, 50_517, 50_518, 50_519, 50_522]],
  [jimengFailure, "key", 429, [50_429, 50_430]],
  [jimengFailure, "channel", 500, [50_500, 50_501]],
])("%# a code is more precise than its status: it is about the %s", (failureOf, blame, status, codes) => {
  // The code decides, with any status.
  for (const code of codes)
    for (const at of [status, 400, 500])
      expect(failureOf(at, JSON.stringify({ code, message: "no" })).blame).toBe(blame);
});

test.each([
  [klingFailure, [1302, 1303], "upstream_rate_limited"],
  [klingFailure, [5002], "upstream_timeout"],
  [jimengFailure, [50_429, 50_430], "upstream_rate_limited"],
] as const)(
  "%# codes of the vendor that say more than their status select the failure's code",
  (failureOf, codes, expected) => {
    for (const code of codes) expect(failureOf(400, JSON.stringify({ code, message: "no" })).code).toBe(expected);
  },
);
