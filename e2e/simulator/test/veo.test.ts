import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenerateVideosOperation, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
let folder: string;
let cloud: GoogleGenAI;
let developer: GoogleGenAI;
beforeAll(async () => {
  started = await startSimulator();
  folder = await mkdtemp(join(tmpdir(), "veo-"));
  const authClient: any = {
    getRequestHeaders: async () => new Headers({ authorization: "Bearer ya29.token" }),
  };
  cloud = new GoogleGenAI({
    vertexai: true,
    project: "p",
    location: "us-central1",
    googleAuthOptions: { authClient },
    httpOptions: { baseUrl: `${started.url}/vertex` },
  });
  developer = new GoogleGenAI({ apiKey: "AIza-key", httpOptions: { baseUrl: `${started.url}/gemini` } });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function pollUntilDone(sdk: GoogleGenAI, begun: GenerateVideosOperation): Promise<GenerateVideosOperation> {
  let operation = begun;
  for (let polls = 0; operation.done !== true && polls < 10; polls++)
    operation = await sdk.operations.getVideosOperation({ operation });
  return operation;
}

const model = "veo-3.1-generate-001";
const isMp4 = (bytes: Buffer): boolean => bytes.subarray(4, 12).toString() === "ftypisom";

describe("Google's SDK at Vertex", () => {
  test("starts an operation, polls it until it is done, and gets the video in its result", async () => {
    const begun = await cloud.models.generateVideos({
      model,
      source: { prompt: "A boat", image: { imageBytes: "iVBORw0KGgo=", mimeType: "image/png" } },
      config: { numberOfVideos: 1, durationSeconds: 6, aspectRatio: "16:9", resolution: "1080p", seed: 7 },
    });
    expect(begun.name).toMatch(/^projects\/.+\/models\/veo-3\.1-generate-001\/operations\//);
    const { response } = await pollUntilDone(cloud, begun);
    const [created] = response?.generatedVideos ?? [];
    expect(created?.video?.mimeType).toBe("video/mp4");
    expect(isMp4(Buffer.from(created?.video?.videoBytes ?? "", "base64"))).toBe(true);
  });

  test("gets the address of the video if the request names a bucket", async () => {
    const config = { outputGcsUri: "gs://films/made/" };
    const begun = await cloud.models.generateVideos({ model, source: { prompt: "A boat" }, config });
    const { response } = await pollUntilDone(cloud, begun);
    expect(response?.generatedVideos?.[0]?.video?.uri).toMatch(/^gs:\/\/films\/made\/op\w+\/sample_0\.mp4$/);
  });

  test("gets the reason why a video was filtered, and the error of a failed one", async () => {
    const begin = (behaviour: object) =>
      cloud.models.generateVideos({ model, source: { prompt: simulate(behaviour) } });
    const held = await pollUntilDone(cloud, await begin({ finish: "content_filter" }));
    expect(held.response?.raiMediaFilteredReasons?.[0]).toContain("issue with the audio");
    expect(held.response?.generatedVideos).toBeUndefined();
    const failed = await pollUntilDone(cloud, await begin({ taskError: "no boats today" }));
    expect(failed.error).toMatchObject({ message: "no boats today" });
  });

  test.each([
    ["a length that no model supports", { durationSeconds: 5 }, "durationSeconds"],
    ["an unknown resolution", { resolution: "900p" }, "resolution"],
    ["frames per second", { fps: 30 }, "fps"],
  ])("gets an error for %s", async (_, config, word) => {
    const begun = cloud.models.generateVideos({ model, source: { prompt: "A boat" }, config });
    await expect(begun).rejects.toThrow(word);
  });
});

// The tests start videos with fetch, because this version of the SDK cannot start them at this API.
describe("Google's SDK at the Gemini API", () => {
  test("polls an operation until it is done, and downloads the video", async () => {
    const begun = await fetch(`${started.url}/gemini/v1beta/models/veo-3.1-generate-preview:predictLongRunning`, {
      method: "POST",
      headers: { "x-goog-api-key": "AIza-key", "content-type": "application/json" },
      body: JSON.stringify({ instances: [{ prompt: "A boat" }], parameters: { durationSeconds: 4 } }),
    });
    const operation = new GenerateVideosOperation();
    Object.assign(operation, await begun.json());
    const { response } = await pollUntilDone(developer, operation);
    const [created] = response?.generatedVideos ?? [];
    if (created?.video === undefined) throw new Error("no video was made");
    const downloadPath = join(folder, "film.mp4");
    const { uri = "" } = created.video;
    // The SDK finds the file's name only in an https address.
    created.video.uri = uri.replace("http:", "https:");
    await developer.files.download({ file: created, downloadPath });
    expect(isMp4(await readFile(downloadPath))).toBe(true);
    // The download requires the key.
    expect((await fetch(uri)).status).toBe(403);
  });
});
