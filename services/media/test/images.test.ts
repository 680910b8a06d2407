import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { costOf, imagesConfig, postImages, qwenBody } from "./images-suite.ts";
import { pictureIn, samplePng, sha256 } from "./pictures.ts";

let area: Area;
let client: OpenAI;
beforeAll(async () => {
  area = await startArea(service, {
    config: imagesConfig,
    env: { FETCH_PRIVATE_HOSTS: "127.0.0.1" },
    limits: { media: { images: { firstPollMs: 50 } } },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => area?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await Promise.all(["pictures", "sync", "async", "google"].map((instance) => area.simulator.forget(instance)));
});

async function pictureOf(image: { url?: string | undefined; b64_json?: string | undefined } | undefined) {
  if (image?.b64_json !== undefined) return pictureIn(Buffer.from(image.b64_json, "base64"));
  return pictureIn(Buffer.from(await (await fetch(image?.url ?? "")).arrayBuffer()));
}

const file = (bytes: Buffer, name = "in.png") => toFile(bytes, name, { type: "image/png" });
const remote = () => `${area.simulator.url}/pictures/64x64/aGk.jpeg`;

describe.each(["tokens", "addresses", "extras", "synchronous", "tasks", "content"])("images by %s", (model) => {
  /** The vendor of "content" supports only aspect ratios. */
  const size = model === "content" ? { width: 1_024, height: 1_024 } : { width: 512, height: 512 };

  test.each(["url", "b64_json"] as const)("are generated from the simple body, as %s", async (form) => {
    const answer = await client.images.generate({ model, prompt: "a fox", size: "512x512", response_format: form });
    expect(answer.created).toBeGreaterThan(1_700_000_000);
    expect(answer.data).toHaveLength(1);
    expect(Object.keys(answer.data?.[0] ?? {})).toContain(form);
    expect(await pictureOf(answer.data?.[0])).toEqual({ type: "png", ...size });
  });

  test("are generated from the Qwen-style body", async () => {
    const body = qwenBody(model, [{ text: "a fox" }], { size: "512*512", prompt_extend: true });
    const { status, body: answer } = await postImages(area, "generations", body);
    expect(status).toBe(200);
    expect(await pictureOf(answer.data[0])).toEqual({ type: "png", ...size });
  });

  test("are edited from a form", async () => {
    const answer = await client.images.edit({ model, prompt: "at night", image: await file(samplePng()) });
    expect(await pictureOf(answer.data?.[0])).toMatchObject({ type: "png" });
  });

  test("are edited from the Qwen-style body", async () => {
    const body = qwenBody(model, [{ image: remote() }, { text: "at night" }]);
    const { status, body: answer } = await postImages(area, "edits", body);
    expect(status).toBe(200);
    expect(await pictureOf(answer.data[0])).toMatchObject({ type: "png" });
  });
});

test.each(["png", "jpeg", "webp"] as const)("an image can be requested as %s", async (format) => {
  const answer = await client.images.generate({
    model: "tokens",
    prompt: "a fox",
    size: "1536x1024",
    output_format: format,
  });
  expect(await pictureOf(answer.data?.[0])).toEqual({ type: format, width: 1_536, height: 1_024 });
  expect(answer).toMatchObject({
    output_format: format,
    size: "1536x1024",
    usage: { input_tokens: 2, output_tokens: 1_056 },
  });
});

test("synchronous models and models with tasks of one vendor can be in one channel", async () => {
  for (const model of ["other-tasks", "synchronous", "other-tasks"])
    expect((await client.images.generate({ model, prompt: "a fox" })).data).toHaveLength(1);
  const paths = (await area.simulator.requests("sync")).map(
    ({ method, path }) => `${method} ${path.split("/").at(-1)}`,
  );
  expect(paths.filter((path) => path.startsWith("POST"))).toEqual([
    "POST generation",
    "POST image-synthesis",
    "POST generation",
    "POST image-synthesis",
  ]);
});

describe("requests to the vendor", () => {
  test("several images and a mask, unchanged, with every field", async () => {
    const [one, two, mask] = [samplePng(10), samplePng(40_000), samplePng(7)];
    await client.images.edit({
      model: "tokens",
      prompt: "füge sie zusammen",
      image: [await file(one), await file(two, "two.png")],
      mask: await file(mask, "mask.png"),
      n: 2,
      size: "1024x1024",
      input_fidelity: "high",
    });
    const [vendorRequest] = await area.simulator.requests("pictures");
    expect(vendorRequest?.path).toMatch(/\/v1\/images\/edits$/);
    expect(Object.fromEntries(vendorRequest?.fields ?? [])).toEqual({
      model: "gpt-image-1",
      prompt: "füge sie zusammen",
      n: "2",
      size: "1024x1024",
      input_fidelity: "high",
    });
    expect(vendorRequest?.files?.map(({ name, sha256: sum }) => [name, sum])).toEqual([
      ["image[]", sha256(one)],
      ["image[]", sha256(two)],
      ["mask", sha256(mask)],
    ]);
    expect(JSON.stringify(vendorRequest?.headers)).not.toContain(keys.demo);
  });

  test("a file id of the vendor's store only in a group with shared stores", async () => {
    const body = { model: "tokens", prompt: "a fox", file_ids: ["file-1"] };
    const refused = await postImages(area, "generations", body);
    expect([refused.status, refused.body.error.param]).toEqual([400, "file_ids[0]"]);
    expect(refused.body.error.message).toContain("vendorStores: shared");
    expect(await area.simulator.requests("pictures")).toEqual([]);
    const answer = await postImages(area, "generations", body, { authorization: `Bearer ${keys.single}` });
    // The error is about the file id, not about the vendor's store.
    expect(JSON.stringify(answer.body)).not.toContain("vendorStores");
  });

  test("a URL if the vendor accepts URLs; a file as a data URL", async () => {
    await postImages(
      area,
      "edits",
      qwenBody("synchronous", [{ image: "https://a.example/in.png" }, { text: "at night" }]),
    );
    await client.images.edit({ model: "synchronous", prompt: "at night", image: await file(samplePng()) });
    const bodies = (await area.simulator.requests("sync")).map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ input }) => input.messages[0].content[0].image)).toEqual([
      "https://a.example/in.png",
      `data:image/png;base64,${samplePng().toString("base64")}`,
    ]);
  });

  test("bytes, fetched from a URL if the vendor needs bytes", async () => {
    await postImages(area, "edits", {
      model: "content",
      prompt: "at night",
      image: remote(),
      size: "1792x1024",
      seed: 7,
    });
    const [vendorRequest] = await area.simulator.requests("google");
    const { contents, generationConfig } = JSON.parse(vendorRequest?.body ?? "");
    expect(pictureIn(Buffer.from(contents[0].parts[0].inlineData.data, "base64"))).toEqual({
      type: "jpeg",
      width: 64,
      height: 64,
    });
    expect(contents[0].parts[0].inlineData.mimeType).toBe("image/jpeg");
    expect(generationConfig).toEqual({
      responseModalities: ["TEXT", "IMAGE"],
      imageConfig: { aspectRatio: "16:9" },
      seed: 7,
    });
  });

  test("optional fields that a vendor does not support are dropped and named, or refused if the client is strict", async () => {
    const body = { model: "synchronous", prompt: "a fox", quality: "high", background: "transparent", strange: 1 };
    const answer = await postImages(area, "generations", body);
    expect(answer.headers.get("x-modelgate-dropped")).toBe("quality, background, strange");
    const strict = await postImages(area, "generations", body, { "x-modelgate-strict": "true" });
    expect(strict).toMatchObject({ status: 400, body: { error: { code: "unsupported_parameter", param: "quality" } } });
    const qwenAnswer = await postImages(
      area,
      "generations",
      qwenBody("tokens", [{ text: "a fox" }], { negative_prompt: "blur", x: 1 }),
    );
    expect(qwenAnswer.headers.get("x-modelgate-dropped")).toBe("parameters.negative_prompt, parameters.x");
  });
});

describe("another channel, or another model, answers instead", () => {
  const generate = (model: string) => postImages(area, "generations", { model, prompt: "a fox" });

  test.each([
    ["a generation", { malformed: true }, () => generate("retried")],
    [
      "an edit",
      { malformed: true },
      async () => client.images.edit({ model: "retried", prompt: "at night", image: await file(samplePng()) }),
    ],
    [
      "a stream",
      { errorAfterChunks: 0 },
      async () => {
        const stream = await client.images.generate({ model: "retried", prompt: "a fox", stream: true });
        for await (const event of stream) expect(event.type).toBe("image_generation.completed");
      },
    ],
  ])("if the first channel's answer to %s cannot be read, which costs nothing", async (_, behaviour, call) => {
    await area.enable("unreadable");
    await area.simulator.script("unreadable", [behaviour]);
    await Promise.all(["unreadable", "readable"].map((instance) => area.simulator.forget(instance)));
    expect(await costOf(area, call)).toBe(40_000_000n);
    for (const instance of ["unreadable", "readable"]) expect(await area.simulator.requests(instance)).toHaveLength(1);
  });

  test("if no channel works, at the fallback's price and under the requested name", async () => {
    const { status, headers } = await generate("unreachable");
    expect([status, headers.get("x-modelgate-model")]).toEqual([200, "retried"]);
    expect(await area.eventOf(headers.get("x-request-id"))).toMatchObject({
      model: "retried",
      requestedModel: "unreachable",
      outcome: "completed",
      costNanos: "40000000",
    });
  });
});
