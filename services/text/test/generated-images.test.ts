import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { costOf as costIn, imagesConfig } from "../../media/test/images-suite.ts";
import { pictureIn, samplePng } from "../../media/test/pictures.ts";
import { service } from "../src/service.ts";

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: imagesConfig,
    env: { FETCH_PRIVATE_HOSTS: "127.0.0.1", HEARTBEAT_MS: "200" },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const costOf = (call: () => Promise<unknown>): Promise<bigint> => costIn(area, call);

describe("generateContent", () => {
  const google = () => new GoogleGenAI({ apiKey: keys.demo, httpOptions: { baseUrl: area.url } });
  const ask = (model: string) => ({
    model,
    contents: "a fox",
    config: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "1:1" } },
  });

  test("a generated image is charged", async () => {
    const cost = await costOf(async () => {
      const answer = await google().models.generateContent(ask("content"));
      const part = answer.candidates?.[0]?.content?.parts?.[0];
      expect(pictureIn(Buffer.from(part?.inlineData?.data ?? "", "base64"))).toMatchObject({ width: 1_024 });
    });
    expect(cost).toBe(40_000_000n + 1_294n * 30_000n);
  });

  test("an image that is generated in a stream is charged", async () => {
    const cost = await costOf(async () => {
      const pieces = [];
      for await (const piece of await google().models.generateContentStream(ask("content"))) pieces.push(piece);
      expect(JSON.stringify(pieces)).toContain("inlineData");
    });
    expect(cost).toBe(40_000_000n + 1_294n * 30_000n);
  });

  test.each([
    ["whole", false],
    ["in a stream", true],
  ])("a request to a vendor of images, %s, is charged by its tokens", async (_, stream) => {
    const cost = await costOf(async () => {
      const models = google().models;
      const pieces = [];
      if (stream) for await (const piece of await models.generateContentStream(ask("tokens"))) pieces.push(piece);
      else pieces.push(await models.generateContent(ask("tokens")));
      // Heartbeats, which have an empty text, may precede the piece with the image.
      const [lastPiece, ...others] = pieces.filter(
        ({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text !== "",
      );
      expect(others).toEqual([]);
      const part = lastPiece?.candidates?.[0]?.content?.parts?.[0];
      expect(pictureIn(Buffer.from(part?.inlineData?.data ?? "", "base64"))).toMatchObject({ width: 1_024 });
      expect(lastPiece).toMatchObject({ modelVersion: "tokens", usageMetadata: { promptTokenCount: 2 } });
    });
    expect(cost).toBeGreaterThan(0n);
  });

  test.each(["2K", "4K"])("an image of %s is refused if there is only a price per image", async (imageSize) => {
    const { config, ...request } = ask("content-by-image");
    const sized = { ...request, config: { ...config, imageConfig: { imageSize } } };
    await expect(google().models.generateContent(sized)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("generationConfig.imageConfig.imageSize"),
    });
  });

  test("a request with a picture is an edit", async () => {
    const inlineData = { mimeType: "image/png", data: samplePng().toString("base64") };
    const contents = [{ role: "user", parts: [{ text: "at night" }, { inlineData }] }];
    const answer = await google().models.generateContent({ ...ask("tokens"), contents });
    expect(answer.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data).toBeDefined();
    const [vendorRequest] = (await area.simulator.requests("pictures")).slice(-1);
    expect(vendorRequest?.path).toMatch(/images\/edits$/);
  });

  test.each([
    ["that returns URLs", "addresses", 1_024],
    ["that answers synchronously", "synchronous", 1_024],
    ["that answers with tasks", "tasks", 1_024],
  ])("an answer has the image bytes, of a vendor %s, and is charged once", async (_, model, width) => {
    const cost = await costOf(async () => {
      const answer = await google().models.generateContent(ask(model));
      const part = answer.candidates?.[0]?.content?.parts?.[0];
      expect(part?.inlineData?.mimeType).toBe("image/png");
      expect(pictureIn(Buffer.from(part?.inlineData?.data ?? "", "base64"))).toMatchObject({ width });
    });
    expect(cost).toBe(40_000_000n);
  });

  test("a stream gets heartbeats while an image task runs", async () => {
    const answer = await fetch(`${area.url}/v1beta/models/tasks:streamGenerateContent?alt=sse`, {
      method: "POST",
      headers: { "x-goog-api-key": keys.demo, "content-type": "application/json" },
      body: JSON.stringify({ contents: [{ parts: [{ text: "a fox" }] }] }),
    });
    const pieces = (await answer.text()).split(/\r?\n\r?\n/).filter((piece) => piece !== "");
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map((piece) => piece.includes("inlineData"))).toEqual(
      pieces.map((_, at) => at === pieces.length - 1),
    );
  });

  test("a request with a picture's address is an edit, also for a vendor that needs bytes", async () => {
    const fileData = { fileUri: `${area.simulator.url}/pictures/64x64/aGk.jpeg`, mimeType: "image/jpeg" };
    const contents = [{ role: "user", parts: [{ text: "at night" }, { fileData }] }];
    const answer = await google().models.generateContent({ ...ask("tokens"), contents });
    expect(answer.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data).toBeDefined();
    const [vendorRequest] = (await area.simulator.requests("pictures")).slice(-1);
    expect(vendorRequest?.files).toMatchObject([{ name: "image", contentType: "image/jpeg" }]);
    const elsewhere = [
      { role: "user", parts: [{ text: "x" }, { fileData: { ...fileData, fileUri: "http://10.0.0.1/a" } }] },
    ];
    await expect(google().models.generateContent({ ...ask("tokens"), contents: elsewhere })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("not on the public internet"),
    });
  });

  test("optional fields that a vendor of images does not support are named, and tools are refused", async () => {
    const post = (more: object) =>
      fetch(`${area.url}/v1beta/models/tasks:generateContent`, {
        method: "POST",
        headers: { "x-goog-api-key": keys.demo, "content-type": "application/json" },
        body: JSON.stringify({ contents: [{ parts: [{ text: "a fox" }] }], ...more }),
      });
    const hints = await post({ generationConfig: { temperature: 1, imageConfig: { imageSize: "4K" } } });
    expect(hints.headers.get("x-modelgate-dropped")).toBe(
      "generationConfig.temperature, generationConfig.imageConfig.imageSize",
    );
    const tools = await post({ tools: [{ functionDeclarations: [{ name: "look" }] }] });
    expect({ status: tools.status, body: await tools.json() }).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("tools") } },
    });
  });
});
