import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { ask, callbacksHere, ended, films, quickLimits, promptWith } from "./films.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

const generations = "/v1/video/generations";

let area: Area;
beforeAll(async () => {
  const env = { ...callbacksHere, FETCH_PRIVATE_HOSTS: "127.0.0.1" };
  area = await startArea(service, { config: films, env, limits: quickLimits });
});
afterAll(() => area?.[Symbol.asyncDispose]());

/** Waits until no money is reserved, and returns the account. */
const settled = () => area.settled("demo");
const download = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${area.url}/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${keys.demo}`, ...headers } });

test("a video that its vendor filters fails with the vendor's message, and costs nothing", async () => {
  const before = await settled();
  const { json } = await ask(area, "/v1/videos", {
    model: "film-veo",
    prompt: promptWith({ finish: "content_filter" }),
  });
  const { status, error } = await ended(area, json.id);
  expect([status, error.code]).toEqual(["failed", "rai_media_filtered"]);
  expect(error.message).toContain("We encountered an issue with the audio for your prompt.");
  expect(await settled()).toEqual(before);
});

describe("a start that its vendor refuses gets 400 with the vendor's message, and costs nothing", () => {
  test.each([
    ["film-veo", "INVALID_ARGUMENT", "The prompt could not be submitted."],
    ["film-wan", "DataInspectionFailed", "Input data may contain inappropriate content."],
    ["film-seedance", "InputTextSensitiveContentDetected", "The input text may contain sensitive information."],
  ])("%s %s", async (model, errorCode, errorMessage) => {
    const before = await settled();
    const prompt = promptWith({ status: 400, errorCode, errorMessage });
    const { status, json } = await ask(area, "/v1/videos", { model, prompt });
    expect([status, json.error]).toMatchObject([400, { message: errorMessage }]);
    expect(await settled()).toEqual(before);
  });
});

describe("an image at a URL", () => {
  test("is fetched for a vendor that needs its bytes", async () => {
    await area.simulator.forget("vertex-films");
    const image = `${area.simulator.url}/pictures/64x64/aGk.png`;
    const { json } = await ask(area, generations, {
      model: "film-vertex",
      prompt: "A boat",
      image,
      image_tail: image,
    });
    expect((await ended(area, json.id)).status).toBe("completed");
    const bytes = Buffer.from(await (await fetch(image)).arrayBuffer()).toString("base64");
    const [start] = await area.simulator.requests("vertex-films");
    expect(JSON.parse(start?.body ?? "")).toMatchObject({
      instances: [{ image: { bytesBase64Encoded: bytes, mimeType: "image/png" }, lastFrame: {} }],
    });
  });

  test.each([
    ["that does not exist", "/pictures/none.png"],
    ["that is not a picture", "/openai/v1/models"],
  ])("%s is named, and nothing is charged", async (_, path) => {
    const before = await settled();
    await area.simulator.forget("veo");
    const body = { model: "film-veo", prompt: "A boat", image: area.simulator.url + path };
    const { status, json } = await ask(area, generations, body);
    expect([status, json.error]).toMatchObject([400, { code: "invalid_value", param: "image" }]);
    expect(json.error.message).toMatch(/^image cannot be fetched: /);
    expect(await area.simulator.requests("veo")).toEqual([]);
    expect(await settled()).toEqual(before);
  });

  test("in the operator's network is not fetched", async () => {
    const image = "http://169.254.169.254/latest";
    const { status, json } = await ask(area, generations, { model: "film-veo", prompt: "A boat", image });
    expect([status, json.error.param]).toEqual([400, "image"]);
  });
});

describe("a finished video", () => {
  const bodyBytes = 8_000_000;

  test("of Vertex is extracted from an answer of megabytes, with and without a range", async () => {
    const { json } = await ask(area, generations, { model: "film-vertex", prompt: promptWith({ bodyBytes }) });
    expect((await ended(area, json.id)).status).toBe("completed");
    for (const headers of [{}, { range: "bytes=10-19" }]) {
      const answer = await download(json.id, headers);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "video/mp4"]);
      const film = Buffer.from(await answer.arrayBuffer());
      expect([film.length, film.subarray(4, 12).toString()]).toEqual([bodyBytes, "ftypisom"]);
    }
    const thumbnail = await fetch(`${area.url}/v1/videos/${json.id}/content?variant=thumbnail`, {
      headers: { authorization: `Bearer ${keys.demo}` },
    });
    expect(thumbnail.status).toBe(404);
  });

  test.each([
    ["film-veo", "veo", "x-goog-api-key", /\/v1beta\/files\/[^/]+:download$/],
    ["film-bucket", "vertex-bucket", "authorization", /\/storage\/v1\/b\/films\/o\/made%2F/],
  ])("of %s requires the key, and supports ranges", async (model, instance, header, path) => {
    const { json } = await ask(area, generations, { model, prompt: promptWith({ bodyBytes: 100_000 }) });
    await ended(area, json.id);
    await area.simulator.forget(instance);
    const part = await download(json.id, { range: "bytes=10-1009" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 10-1009/100000"]);
    const [vendorRequest] = await area.simulator.requests(instance);
    expect(vendorRequest?.path).toMatch(path);
    expect(String(vendorRequest?.headers[header])).toContain(`key-of-${instance}`);
  });

  test.each([
    ["film-wan", "wan"],
    ["film-seedance", "seedance"],
  ])("of %s is at an address to which no key is sent", async (model, instance) => {
    const { json } = await ask(area, generations, { model, prompt: "A boat" });
    await ended(area, json.id);
    await area.simulator.forget(instance);
    expect((await download(json.id)).status).toBe(200);
    const [vendorRequest] = await area.simulator.requests(instance);
    expect(vendorRequest?.path).toMatch(/\/files\/[^/]+\.mp4$/);
    expect(vendorRequest?.headers).not.toHaveProperty("authorization");
    // The vendor stores it for one day.
    const { completed_at: completed, expires_at: expires } = (await ask(area, `/v1/videos/${json.id}`)).json;
    expect(expires - completed).toBe(86_400);
  });
});
