import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { ask, callbacksHere, ended, films, quick, simulate } from "./films.ts";
import { keys, money } from "./house.ts";

/** What is particular of the vendors whose wires no client speaks: Veo at both of its places, Wan, Seedance. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const generations = "/v1/video/generations";

let suite: Suite;
let pictures: Server;
let picturesUrl: string;
/** How often a picture was fetched. */
let fetched = 0;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: films,
    envOf: { video: { ...callbacksHere, FETCH_PRIVATE_HOSTS: "127.0.0.1" } },
    limits: quick,
  });
  pictures = createServer((request, response) => {
    fetched++;
    if (request.url === "/a.png") response.writeHead(200, { "content-type": "image/png" }).end(png);
    else if (request.url === "/page") response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    else response.writeHead(404).end();
  });
  await once(pictures.listen(0, "127.0.0.1"), "listening");
  const address = pictures.address();
  picturesUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(async () => {
  pictures?.close();
  await suite?.[Symbol.asyncDispose]();
});

/** The account once nothing is held. */
const settled = () =>
  until("all holds to be settled", async () => {
    const seen = await money(suite);
    return seen.heldNanos === "0" && seen;
  });
const download = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${suite.edgeUrl}/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${keys.demo}`, ...headers } });

describe("a video that its vendor's filters hold back fails in the vendor's words, and costs nothing", () => {
  const filtered = { finish: "content_filter" };
  test.each([
    ["film-veo", filtered, "rai_media_filtered", "We encountered an issue with the audio for your prompt."],
    ["film-vertex", filtered, "rai_media_filtered", "We encountered an issue with the audio for your prompt."],
    [
      "film-wan",
      { taskError: "Output data may contain inappropriate content.", errorCode: "DataInspectionFailed" },
      "DataInspectionFailed",
      "Output data may contain inappropriate content.",
    ],
    [
      "film-seedance",
      { taskError: "The output may contain sensitive information.", errorCode: "OutputVideoSensitiveContentDetected" },
      "OutputVideoSensitiveContentDetected",
      "The output may contain sensitive information.",
    ],
  ])("%s %j", async (model, behaviour, code, words) => {
    const before = await settled();
    const { json } = await ask(suite, "/v1/videos", { model, prompt: simulate(behaviour) });
    const { status, error } = await ended(suite, json.id);
    expect([status, error.code]).toEqual(["failed", code]);
    expect(error.message).toContain(words);
    expect(await settled()).toEqual(before);
  });
});

describe("a start that its vendor refuses is a 400 in the vendor's words, and costs nothing", () => {
  test.each([
    ["film-veo", "INVALID_ARGUMENT", "The prompt could not be submitted."],
    ["film-vertex", "INVALID_ARGUMENT", "The prompt contains words that violate the guidelines."],
    ["film-wan", "DataInspectionFailed", "Input data may contain inappropriate content."],
    ["film-seedance", "InputTextSensitiveContentDetected", "The input text may contain sensitive information."],
  ])("%s %s", async (model, errorCode, errorMessage) => {
    const before = await settled();
    const prompt = simulate({ status: 400, errorCode, errorMessage });
    const { status, json } = await ask(suite, "/v1/videos", { model, prompt });
    expect([status, json.error]).toMatchObject([400, { message: errorMessage }]);
    expect(await settled()).toEqual(before);
  });

  test("and one that is no longer than the vendor makes says what it makes", async () => {
    const veo = await ask(suite, "/v1/videos", { model: "film-veo", prompt: "A boat", seconds: "5" });
    expect([veo.status, veo.json.error.message]).toEqual([
      400,
      "seconds: the vendor of this model makes 4 or 6 or 8 s only.",
    ]);
    const wan = await ask(suite, generations, { model: "film-wan", prompt: "A boat", duration: 60 });
    expect([wan.status, wan.json.error.param]).toEqual([400, "duration"]);
  });

  test("and options in a prompt that would make more than was paid for reach no vendor", async () => {
    await suite.simulator.forget("seedance");
    const prompt = "A boat --duration 12 --resolution 1080p";
    const { status, json } = await ask(suite, generations, { model: "film-seedance", prompt });
    expect([status, json.error.param]).toEqual([400, "prompt"]);
    expect(await suite.simulator.requests("seedance")).toEqual([]);
  });
});

describe("a picture at an address", () => {
  test.each([
    ["film-veo", "veo"],
    ["film-vertex", "vertex-films"],
  ])("is fetched for %s, which takes its bytes", async (model, instance) => {
    await suite.simulator.forget(instance);
    fetched = 0;
    const image = `${picturesUrl}/a.png`;
    const { json } = await ask(suite, generations, { model, prompt: "A boat", image, image_tail: image });
    expect((await ended(suite, json.id)).status).toBe("completed");
    const [start] = await suite.simulator.requests(instance);
    expect(JSON.parse(start?.body ?? "")).toMatchObject({
      instances: [{ image: { bytesBase64Encoded: png.toString("base64"), mimeType: "image/png" }, lastFrame: {} }],
    });
    expect(fetched).toBe(2);
  });

  test("stays an address for those that fetch it", async () => {
    fetched = 0;
    for (const [model, instance] of [
      ["film-wan", "wan"],
      ["film-seedance", "seedance"],
    ] as const) {
      await suite.simulator.forget(instance);
      const image = `${picturesUrl}/a.png`;
      expect((await ask(suite, generations, { model, prompt: "A boat", image })).status).toBe(200);
      expect((await suite.simulator.requests(instance))[0]?.body).toContain(image);
    }
    expect(fetched).toBe(0);
  });

  test.each([
    ["that is not there", "/none.png"],
    ["that is no picture", "/page"],
  ])("%s is named, and nothing is paid", async (_, path) => {
    const before = await settled();
    await suite.simulator.forget("veo");
    const body = { model: "film-veo", prompt: "A boat", image: picturesUrl + path };
    const { status, json } = await ask(suite, generations, body);
    expect([status, json.error]).toMatchObject([400, { code: "invalid_value", param: "image" }]);
    expect(json.error.message).toMatch(/^image cannot be fetched: /);
    expect(await suite.simulator.requests("veo")).toEqual([]);
    expect(await settled()).toEqual(before);
  });

  test("in the operator's own network is not fetched", async () => {
    const image = "http://169.254.169.254/latest";
    const { status, json } = await ask(suite, generations, { model: "film-veo", prompt: "A boat", image });
    expect([status, json.error.param]).toEqual([400, "image"]);
  });
});

describe("a finished film", () => {
  const bodyBytes = 8_000_000;

  test("of Vertex comes whole out of an answer of megabytes, with and without a range", async () => {
    const { json } = await ask(suite, generations, { model: "film-vertex", prompt: simulate({ bodyBytes }) });
    expect((await ended(suite, json.id)).status).toBe("completed");
    for (const headers of [{}, { range: "bytes=10-19" }]) {
      const answer = await download(json.id, headers);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "video/mp4"]);
      const film = Buffer.from(await answer.arrayBuffer());
      expect([film.length, film.subarray(4, 12).toString()]).toEqual([bodyBytes, "ftypisom"]);
    }
    const thumbnail = await fetch(`${suite.edgeUrl}/v1/videos/${json.id}/content?variant=thumbnail`, {
      headers: { authorization: `Bearer ${keys.demo}` },
    });
    expect(thumbnail.status).toBe(404);
  });

  test.each([
    ["film-veo", "veo", "x-goog-api-key", /\/v1beta\/files\/[^/]+:download$/],
    ["film-bucket", "vertex-bucket", "authorization", /\/storage\/v1\/b\/films\/o\/made%2F/],
  ])("of %s is behind the key, in ranges", async (model, instance, header, path) => {
    const { json } = await ask(suite, generations, { model, prompt: simulate({ bodyBytes: 100_000 }) });
    await ended(suite, json.id);
    await suite.simulator.forget(instance);
    const part = await download(json.id, { range: "bytes=10-1009" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 10-1009/100000"]);
    const [seen] = await suite.simulator.requests(instance);
    expect(seen?.path).toMatch(path);
    expect(String(seen?.headers[header])).toContain(`key-of-${instance}`);
  });

  test.each([
    ["film-wan", "wan"],
    ["film-seedance", "seedance"],
  ])("of %s is at an address that no key is sent to", async (model, instance) => {
    const { json } = await ask(suite, generations, { model, prompt: "A boat" });
    await ended(suite, json.id);
    await suite.simulator.forget(instance);
    expect((await download(json.id)).status).toBe(200);
    const [seen] = await suite.simulator.requests(instance);
    expect(seen?.path).toMatch(/\/files\/[^/]+\.mp4$/);
    expect(seen?.headers).not.toHaveProperty("authorization");
    // A day is how long the vendor keeps it.
    const { completed_at: completed, expires_at: expires } = (await ask(suite, `/v1/videos/${json.id}`)).json;
    expect(expires - completed).toBe(86_400);
  });
});

test("a callback has each transition of a task at each of these vendors", async () => {
  const states: string[] = [];
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const { model, state } = JSON.parse(body);
      states.push(`${model} ${state}`);
      response.end();
    });
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const address = listener.address();
  const callback = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/done`;
  const models = ["film-veo", "film-vertex", "film-wan", "film-seedance"];
  for (const model of models)
    await ask(suite, generations, { model, prompt: simulate({ looks: 4 }), callback_url: callback });
  await until("every transition to be sent", () => states.length === models.length * 3);
  listener.close();
  const expected = models.flatMap((model) =>
    ["queued", "in_progress", "completed"].map((state) => `${model} ${state}`),
  );
  expect(states.toSorted()).toEqual(expected.toSorted());
});

test("looks that fail change nothing at any of these vendors", async () => {
  for (const [model, instance] of [
    ["film-veo", "veo"],
    ["film-vertex", "vertex-films"],
    ["film-wan", "wan"],
    ["film-seedance", "seedance"],
  ] as const) {
    await suite.simulator.script(instance, [
      {},
      { status: 500 },
      { closeBeforeHead: true },
      { malformed: true },
      { status: 429 },
    ]);
    const { json } = await ask(suite, generations, { model, prompt: "A boat" });
    expect([model, (await ended(suite, json.id)).status]).toEqual([model, "completed"]);
  }
});
