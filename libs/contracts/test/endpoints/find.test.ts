import { describe, expect, test } from "vitest";
import { errorFormatOf, errorFormatOfPath, findEndpoint, listFormatOf } from "../../src/endpoints/find.ts";
import { endpointIds, endpointOf } from "../../src/endpoints/table.ts";

describe("every row of the table", () => {
  test.each(endpointIds)("%s is found by its method and path", (id) => {
    const { method, path } = endpointOf(id);
    const filled = path.replaceAll(/\{(\w+)\}/g, "some-$1");
    const found = findEndpoint(method, filled);
    expect(found).toMatchObject({ kind: "endpoint", id });
    const { errors } = endpointOf(id);
    const family = errors === "by-request" ? "common" : errors;
    expect(findEndpoint("PUT", filled)).toMatchObject({ kind: "wrong-method", errors: family });
  });

  test("all served and declared endpoints exist", () => {
    const labels = endpointIds.map((id) => `${endpointOf(id).method} ${endpointOf(id).path}`);
    expect(labels).toEqual(expect.arrayContaining([...servedEndpoints, ...declaredEndpoints]));
    expect(endpointIds.filter((id) => endpointOf(id).unimplemented)).toHaveLength(declaredEndpoints.length);
  });
});

test.each([
  ["POST", "/kling/v1/videos/text2video", "textToVideo"],
  ["GET", "/kling/v1/videos/image2video/t1", "getImageToVideo"],
  ["POST", "/jimeng/", "epsilon"],
  ["POST", "/jimeng", "epsilon"],
  ["POST", "/epsilon", "epsilon"],
  ["GET", "/v1/models/", "listModels"],
  ["POST", "/openai/v1/chat/completions", "chatCompletions"],
  ["POST", "/v1beta/openai/chat/completions", "chatCompletions"],
  ["GET", "/v1beta/openai/models", "listModels"],
  ["POST", "/v1beta/models/org/name-1.5:generateContent", "generateContent"],
  ["GET", "/v1beta/models/a:b", "getGammaModel"],
  ["POST", "/v1/models/org/name-1.5:generateContent", "generateContent"],
  ["POST", "/v1/models/a:b:streamGenerateContent", "streamGenerateContent"],
  ["GET", "/v1/models/a:b", "getModel"],
])("%s %s is %s", (method, path, id) => {
  expect(findEndpoint(method, path)).toMatchObject({ kind: "endpoint", id });
});

test("parameters are decoded once, and models may contain slashes", () => {
  expect(findEndpoint("POST", "/v1/engines/org%2Fname/embeddings")).toMatchObject({ params: { model: "org/name" } });
  expect(findEndpoint("GET", "/v1/models/org/name")).toMatchObject({ params: { model: "org/name" } });
  expect(findEndpoint("GET", "/v1/videos/%E0%A4%A")).toMatchObject({ kind: "unknown" });
});

test.each(["/v1/models/a:nothing", "/v1beta/models/org/a:b:nothing"])("POST %s is an unknown action", (path) => {
  expect(findEndpoint("POST", path)).toEqual({ kind: "unknown", errors: "gamma" });
});

// In quadratic time, these look-ups would exceed the timeout of a test.
test.each([
  ["/v1beta/models/", "models/"],
  ["/v1/models/", ":a/models/"],
])("the time to look up %s with many repetitions of %s is linear", (start, part) => {
  expect(findEndpoint("POST", start + part.repeat(200_000))).toMatchObject({ kind: "wrong-method", errors: "gamma" });
});

test.each([
  ["/v1/v1/chat/completions", "common"],
  ["/v1//v1/models", "common"],
  ["/V1/v1/models", "common"],
  ["/v1/v1/messages", "alpha"],
  ["/v1/v1beta/models", "gamma"],
])("%s repeats the base address", (path, errors) => {
  expect(findEndpoint("POST", path)).toEqual({ kind: "double-v1", errors });
});

test.each([
  ["/nothing", "common"],
  ["/v1beta/nothing", "gamma"],
  ["/v1/messages/nothing", "alpha"],
  ["/kling/v1/nothing", "task"],
  ["/jimeng/nothing", "epsilon"],
  ["/api/nothing", "ollama"],
  ["/v1beta/openai/nothing", "common"],
])("unknown %s fails in the %s format", (path, errors) => {
  expect(findEndpoint("GET", path)).toEqual({ kind: "unknown", errors });
});

test.each([
  ["/v1/models/a:nothing", "gamma"],
  ["/v1/models/a", "common"],
  ["/v1beta/models/a:generateContent", "gamma"],
  ["/kling/v1/videos/text2video", "task"],
  ["/jimeng", "epsilon"],
])("PUT %s fails in the %s format, whether or not its endpoint exists", (path, errors) => {
  expect(findEndpoint("PUT", path)).toMatchObject({ kind: "wrong-method", errors });
  expect(errorFormatOfPath(path)).toBe(errors);
});

test.each([
  [{ "x-api-key": "k", "anthropic-version": "2023-06-01" }, false, "alpha"],
  [{ "x-api-key": "k", "alpha-version": "2023-06-01" }, true, "alpha"],
  [{ authorization: "Bearer k", "anthropic-version": "2023-06-01" }, false, "alpha"],
  [{ authorization: "Bearer k", "alpha-version": "2023-06-01" }, false, "common"],
  [{ "x-api-key": "k" }, false, "common"],
  [{ "x-goog-api-key": "k" }, false, "gamma"],
  [{ "x-gamma-api-key": "k" }, false, "gamma"],
  [{}, true, "gamma"],
  [{ authorization: "Bearer k" }, false, "common"],
] as const)("the model list for %j is %s", (from, hasKey, format) => {
  expect(listFormatOf(from, hasKey)).toBe(format);
  expect(errorFormatOf(endpointOf("listModels"), from, hasKey)).toBe(format);
});

const servedEndpoints = [
  "GET /v1/models",
  "GET /v1beta/models",
  "POST /v1/chat/completions",
  "POST /v1/responses",
  "POST /v1/responses/compact",
  "POST /v1/messages",
  "POST /v1/completions",
  "POST /v1/embeddings",
  "POST /v1/engines/{model}/embeddings",
  "POST /v1/rerank",
  "POST /v1/moderations",
  "POST /v1/images/generations",
  "POST /v1/images/edits",
  "POST /v1beta/models/{model}:generateContent",
  "POST /v1/videos",
  "GET /v1/videos/{task_id}",
  "GET /v1/videos/{task_id}/content",
  "POST /delta/v1/videos/text2video",
  "GET /delta/v1/videos/text2video/{task_id}",
  "POST /delta/v1/videos/image2video",
  "GET /delta/v1/videos/image2video/{task_id}",
  "POST /epsilon/",
  "POST /v1/video/generations",
  "GET /v1/video/generations/{task_id}",
  "POST /v1/audio/transcriptions",
  "POST /v1/audio/translations",
  "POST /v1/audio/speech",
  "GET /v1/realtime",
];
const declaredEndpoints = [
  "GET /v1/fine-tunes",
  "POST /v1/fine-tunes",
  "GET /v1/fine-tunes/{fine_tune_id}",
  "POST /v1/fine-tunes/{fine_tune_id}/cancel",
  "GET /v1/fine-tunes/{fine_tune_id}/events",
  "GET /v1/fine_tuning/jobs",
  "POST /v1/fine_tuning/jobs",
  "GET /v1/fine_tuning/jobs/{job_id}",
  "POST /v1/fine_tuning/jobs/{job_id}/cancel",
  "POST /v1/fine_tuning/jobs/{job_id}/pause",
  "POST /v1/fine_tuning/jobs/{job_id}/resume",
  "GET /v1/fine_tuning/jobs/{job_id}/checkpoints",
  "GET /v1/fine_tuning/jobs/{job_id}/events",
  "GET /v1/batches",
  "POST /v1/batches",
  "GET /v1/batches/{batch_id}",
  "POST /v1/batches/{batch_id}/cancel",
  "GET /v1/messages/batches",
  "POST /v1/messages/batches",
  "GET /v1/messages/batches/{batch_id}",
  "DELETE /v1/messages/batches/{batch_id}",
  "POST /v1/messages/batches/{batch_id}/cancel",
  "GET /v1/messages/batches/{batch_id}/results",
  "POST /v1/live/sessions",
  "GET /v1beta/cachedContents",
  "POST /v1beta/cachedContents",
  "GET /v1beta/cachedContents/{content_id}",
  "PATCH /v1beta/cachedContents/{content_id}",
  "DELETE /v1beta/cachedContents/{content_id}",
  "GET /v1/files",
  "POST /v1/files",
  "GET /v1/files/{file_id}",
  "DELETE /v1/files/{file_id}",
  "GET /v1/files/{file_id}/content",
];
