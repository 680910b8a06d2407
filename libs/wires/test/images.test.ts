import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { runToEnd } from "@modelgate/formats/json";
import { readImageBody, readImageForm, refuseWithoutImage, wires } from "../src/images/index.ts";
import { base64InUrl, imageDataUrl, renderImageStream, renderImages, writeImages } from "../src/images/hub/answer.ts";
import type { ImagesVendor } from "../src/images/hub/answer.ts";
import { imageTypeOf, parseInputImage } from "../src/images/hub/image-bytes.ts";
import { measureInput } from "../src/images/hub/pricing.ts";
import { nearestRatio, parseSize, type ImageRequest } from "../src/images/hub/request.ts";
import { vendorWire } from "../src/wire.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const simple = { model: "m", prompt: "a fox" };
const parseBody = (body: object): ImageRequest => readImageBody(body).request;
const qwen = (content: readonly object[], parameters: object = {}, more: object = {}): ImageRequest =>
  parseBody({ model: "m", input: { messages: [{ role: "user", content }] }, parameters, ...more });
const bodyFor = (wire: keyof typeof wires, request: ImageRequest) => {
  const { vendor } = vendorWire<ImagesVendor>(wires, wire);
  const rendered = vendor.render(request, { model: "v" });
  const [body, dropped] = [runToEnd(writeImages(rendered).body), rendered.dropped];
  return { body: JSON.parse(body.toString()), dropped };
};

function failureOf(step: () => unknown): { readonly code?: string; readonly param?: string | undefined } {
  try {
    step();
    return {};
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, param: error.param };
    throw error;
  }
}

describe("an image from a client", () => {
  test.each([
    ["https://a.example/x.png", { kind: "url" }],
    ["HTTP://a.example/x.png", { kind: "url" }],
    [`data:image/jpeg;base64,${png.toString("base64")}`, { kind: "file", mediaType: "image/png" }],
    [`data:image/png;charset=x;base64,${jpeg.toString("base64")}`, { kind: "file", mediaType: "image/jpeg" }],
    [jpeg.toString("base64").replace(/=+$/, ""), { kind: "file", mediaType: "image/jpeg" }],
  ])("the type %s is recognised from the bytes", (value, image) => {
    expect(parseInputImage(value, "image")).toMatchObject({ at: "image", ...image });
  });

  test.each([
    "ftp://a.example/x.png",
    "file:///etc/passwd",
    "",
    "=",
    "====",
    "iVBO!w0KGgo=",
    "iVBORw0KGgo===",
    "iVBORw0KG",
    "data:image/png;base64,",
    "data:,hello",
    "data:text/html;base64,aGk=",
    "aGVsbG8gd29ybGQ=",
    7,
    null,
  ])("%j is refused", (value) => {
    expect(failureOf(() => parseInputImage(value, "image[2]"))).toEqual({ code: "invalid_value", param: "image[2]" });
  });

  test.each([
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xdb", "image/jpeg"],
    ["RIFF\x10\0\0\0WEBPVP8 ", "image/webp"],
    ["GIF87a", "image/gif"],
    ["GIF89a", "image/gif"],
    ["\x89PNG\r\n\x1a", undefined],
    ["\xff\xd8\x00", undefined],
    ["\xff\x00\xff", undefined],
    ["\x00\xd8\xff", undefined],
    ["RIFF\x10\0\0\0WAVEfmt ", undefined],
    ["RIFX\x10\0\0\0WEBPVP8 ", undefined],
    ["GIF88a", undefined],
    [" GIF89a", undefined],
  ])("starting with %j is %s", (bytes, type) => {
    expect(imageTypeOf(Buffer.from(bytes, "latin1"))).toBe(type);
  });

  test("bytes are unchanged after Base64 and back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (more) => {
        const bytes = Buffer.concat([png, more]);
        const read = parseInputImage(bytes.toString("base64"), "image");
        expect(read.kind === "file" && read.bytes.equals(bytes)).toBe(true);
      }),
    );
  });
});

describe("an image size", () => {
  test.each([
    ["1024x1536", { width: 1_024, height: 1_536 }],
    ["1328*1328", { width: 1_328, height: 1_328 }],
    ["auto", undefined],
    [undefined, undefined],
  ])("%s", (text, size) => {
    expect(parseSize(text, "size")).toEqual(size);
  });

  test.each(["", "1024", "x", "1024x", "-1x5", "0x5", "99999x1", "1024 x 1024", "1e3x1"])(
    "%s is not a size",
    (text) => {
      expect(failureOf(() => parseSize(text, "size"))).toEqual({ code: "invalid_value", param: "size" });
    },
  );

  test.each([
    [1_024, 1_024, "1:1"],
    [1_536, 1_024, "3:2"],
    [1_792, 1_024, "16:9"],
    [928, 1_664, "9:16"],
    [1_472, 1_140, "4:3"],
  ])("%d x %d is nearest to %s", (width, height, ratio) => {
    expect(nearestRatio({ width, height }, ["1:1", "3:2", "4:3", "16:9", "9:16"])).toBe(ratio);
  });
});

describe("a request", () => {
  test("has the same meaning in both dialects, for every vendor", () => {
    const parsedRequest = parseBody({
      ...simple,
      n: 2,
      size: "512x256",
      negative_prompt: "blur",
      prompt_extend: true,
      seed: 3,
    });
    const other = qwen([{ text: "a fox" }], {
      n: 2,
      size: "512*256",
      negative_prompt: "blur",
      prompt_extend: true,
      seed: 3,
    });
    expect({ ...parsedRequest, dialect: "" }).toEqual({ ...other, dialect: "" });
    expect(bodyFor("qwen-images", parsedRequest)).toEqual(bodyFor("qwen-images", other));
    expect(bodyFor("qwen-image-tasks", parsedRequest)).toEqual(bodyFor("qwen-image-tasks", other));
  });

  test("is rendered for qwen's vendor", () => {
    const request = qwen([{ image: "https://a.example/1.png" }, { text: "at" }, { text: "night" }], { own: 1 });
    expect(bodyFor("qwen-images", request)).toEqual({
      body: {
        model: "v",
        input: {
          messages: [{ role: "user", content: [{ image: "https://a.example/1.png" }, { text: "at\nnight" }] }],
        },
        parameters: { own: 1, n: 1 },
      },
      dropped: [],
    });
    expect(bodyFor("qwen-image-edit-tasks", request).body).toEqual({
      model: "v",
      input: { prompt: "at\nnight", images: ["https://a.example/1.png"] },
      parameters: { own: 1, n: 1 },
    });
  });

  test("is rendered for generateContent", () => {
    const image = `data:image/png;base64,${png.toString("base64")}`;
    const request = parseBody({ ...simple, image, size: "3840x2160", seed: 7, quality: "high", strange: 1 });
    expect(bodyFor("content", request)).toEqual({
      body: {
        contents: [
          {
            role: "user",
            parts: [{ inlineData: { mimeType: "image/png", data: png.toString("base64") } }, { text: "a fox" }],
          },
        ],
        generationConfig: {
          responseModalities: ["TEXT", "IMAGE"],
          imageConfig: { aspectRatio: "16:9", imageSize: "4K" },
          seed: 7,
        },
      },
      dropped: ["quality", "strange"],
    });
  });

  test("is rendered for a vendor of the simple body with every field", () => {
    const moreMembers = {
      quality: "hd",
      style: "vivid",
      user: "u",
      watermark: false,
      strange: { deep: [1] },
      seed: -1,
    };
    expect(bodyFor("images", parseBody({ ...simple, ...moreMembers, response_format: "url", size: null }))).toEqual({
      body: { model: "v", prompt: "a fox", ...moreMembers, response_format: "url" },
      dropped: [],
    });
    expect(bodyFor("images", qwen([{ text: "a fox" }], { watermark: true, x: 1 })).dropped).toEqual([
      "watermark",
      "parameters.x",
    ]);
  });

  test("has a size class only for a vendor of the simple body", () => {
    const request = parseBody({ ...simple, size: "2K" });
    expect(bodyFor("images", request)).toEqual({ body: { model: "v", prompt: "a fox", size: "2K" }, dropped: [] });
    expect(bodyFor("qwen-images", request).dropped).toEqual(["size"]);
  });

  test.each([
    [{ output_format: "jpeg", output_compression: 80 }, { mimeType: "image/jpeg", compressionQuality: 80 }, []],
    [{ output_format: "png", output_compression: 80 }, { mimeType: "image/png" }, ["outputCompression"]],
    [{ output_format: "webp" }, undefined, ["outputFormat"]],
  ])("an output format of Imagen: %j", (format, outputOptions, dropped) => {
    const rendered = bodyFor("imagen", parseBody({ ...simple, ...format }));
    expect([rendered.body.parameters.outputOptions, rendered.dropped]).toEqual([outputOptions, dropped]);
  });

  test("drops and names partial images for a vendor without them", () => {
    const request = parseBody({ ...simple, stream: true, partial_images: 2 });
    expect(bodyFor("qwen-images", request).dropped).toEqual(["partialImages"]);
    expect(bodyFor("images", request)).toMatchObject({ body: { stream: true, partial_images: 2 }, dropped: [] });
  });

  test("sets no output format for a model that has only one", () => {
    const request = parseBody({ ...simple, response_format: "b64_json" });
    const body = runToEnd(writeImages(wires.images.vendor.render(request, { model: "gpt-image-1" })).body);
    expect(JSON.parse(body.toString())).toEqual({ model: "gpt-image-1", prompt: "a fox" });
  });

  test.each<[keyof typeof wires, object, string]>([
    ["images", { image: png.toString("base64"), mask: png.toString("base64") }, "mask"],
    ["qwen-images", { image: png.toString("base64"), mask: png.toString("base64") }, "mask"],
    ["content", { n: 2 }, "count"],
  ])("is refused for %s where it would mean something else", (wire, more, param) => {
    expect(failureOf(() => bodyFor(wire, parseBody({ ...simple, ...more })))).toEqual({
      code: "unsupported_parameter",
      param,
    });
  });

  test("counts every input image, including the mask", () => {
    const image = png.toString("base64");
    const tokens = (more: object) => measureInput(readImageBody({ ...simple, ...more }).request).mediaTokens;
    expect(tokens({})).toBe(0);
    expect(tokens({ image: [image, image], mask: image })).toBe(3 * tokens({ image }));
  });

  test.each([
    ["output_compression", 101],
    ["output_compression", -1],
    ["n", 11],
  ])("with %s %d is refused", (param, value) => {
    expect(failureOf(() => parseBody({ ...simple, [param]: value }))).toMatchObject({ code: "invalid_value", param });
    expect(parseBody({ ...simple, output_compression: 100, n: 10 })).toMatchObject({
      outputCompression: 100,
      count: 10,
    });
  });

  test("for an edit must have an image", () => {
    expect(failureOf(() => refuseWithoutImage(parseBody(simple)))).toMatchObject({ param: "image" });
    expect(failureOf(() => refuseWithoutImage(parseBody({ ...simple, image: ["https://a.example/"] })))).toEqual({});
  });
});

describe("a form", () => {
  const text = [
    ["model", "m"],
    ["prompt", "a fox"],
  ] as const;
  const files = (...names: readonly string[]) => names.map((name) => ({ name, bytes: png }));

  test("has the fields of the simple body, with numbers as text", () => {
    const fields = [...text, ["n", "2"], ["stream", "true"], ["size", ""], ["strange", "1"]] as const;
    const { request } = readImageForm({ fields, files: files("image[]", "mask", "image[1]", "image") });
    expect(request).toMatchObject({ count: 2, stream: true, additional: { members: { strange: "1" } } });
    expect(request.size).toBeUndefined();
    expect(request.images.map(({ at }) => at)).toEqual(["image[]", "image[1]", "image"]);
    expect(request.mask).toMatchObject({ at: "mask" });
  });

  test.each([
    ["true", true],
    ["false", false],
  ])("flags in text are parsed: %s", (word, flag) => {
    const { request } = readImageForm({ fields: [...text, ["stream", word], ["watermark", word]], files: [] });
    expect(request).toMatchObject({ stream: flag, watermark: flag });
  });

  test("accepts addresses of images as text", () => {
    const fields = [...text, ["image[]", "https://a.example/1.png"], ["image[]", "https://a.example/2.png"]] as const;
    expect(readImageForm({ fields, files: files("image") }).request.images).toMatchObject([
      { kind: "file", at: "image" },
      { kind: "url", url: "https://a.example/1.png" },
      { kind: "url", url: "https://a.example/2.png" },
    ]);
  });

  test.each<[string, Parameters<typeof readImageForm>[0], string]>([
    ["another file", { fields: text, files: files("prompt") }, "prompt"],
    ["a nested name", { fields: text, files: files("image[a]") }, "image[a]"],
    ["two masks", { fields: text, files: files("image", "mask", "mask") }, "mask"],
    [
      "a name that is not a field",
      { fields: [...text, ["__proto__", "x"], ["__proto__", "y"]], files: [] },
      "__proto__",
    ],
    ["an invalid flag", { fields: [...text, ["stream", "yes"]], files: [] }, "stream"],
    ["a number with letters", { fields: [...text, ["n", "1e1"]], files: [] }, "n"],
  ])("with %s is refused", (_, form, param) => {
    expect(failureOf(() => readImageForm(form))).toEqual({ code: "invalid_value", param });
  });

  test("is rendered so that any parser finds its bytes", async () => {
    const value = 'ü "quoted"\r\n--x';
    const { body, contentType } = writeImages({
      body: {},
      dropped: [],
      form: [
        { name: "prompt", value },
        { name: "image[]", filename: 'a".png', contentType: "image/png", bytes: png },
      ],
    });
    const read = await new Response(new Uint8Array(runToEnd(body)), {
      headers: { "content-type": contentType },
    }).formData();
    expect(read.get("prompt")).toBe(value);
    const file = read.get("image[]");
    expect(file instanceof File && Buffer.from(await file.arrayBuffer()).equals(png)).toBe(true);
  });
});

describe("an answer", () => {
  const parse = (wire: keyof typeof wires, body: object) => wires[wire].vendor.parse({ ...body });
  const url = "https://a.example/1.png";

  test.each<[keyof typeof wires, object, object, object]>([
    [
      "images",
      {
        created: 5,
        data: [{ url: "", b64_json: "aGk=", revised_prompt: "" }],
        usage: { input_tokens: 50, output_tokens: 10 },
      },
      { created: 5, data: [{ b64_json: "aGk=" }], usage: { input_tokens: 50, output_tokens: 10 } },
      { images: 1, inputTokens: 50, outputTokens: 0, outputImageTokens: 10 },
    ],
    [
      "image-edits",
      {
        created: 5,
        data: [{ b64_json: "aGk=" }],
        usage: {
          input_tokens: 50,
          input_tokens_details: { text_tokens: 10, image_tokens: 36, cached_tokens: 4 },
          output_tokens: 12,
          output_tokens_details: { text_tokens: 2, image_tokens: 10 },
        },
      },
      expect.objectContaining({ data: [{ b64_json: "aGk=" }] }),
      {
        images: 1,
        inputTokens: 10,
        cachedInputTokens: 4,
        inputImageTokens: 36,
        outputTokens: 2,
        outputImageTokens: 10,
      },
    ],
    [
      "images",
      { data: [{ url }], usage: { input_tokens: 5, input_tokens_details: { image_tokens: 9, cached_tokens: 7 } } },
      expect.objectContaining({ data: [{ url }] }),
      { images: 1, inputTokens: 0, cachedInputTokens: 5, outputTokens: 0 },
    ],
    [
      "images",
      { created: 5, data: [{ url, b64_json: null, revised_prompt: "r" }, { url }], quality: "hd" },
      { created: 5, quality: "hd", data: [{ url, revised_prompt: "r" }, { url }] },
      { images: 2 },
    ],
    [
      "qwen-images",
      { output: { choices: [{ message: { content: [{ image: url }, { text: "x" }] } }] }, usage: { image_count: 1 } },
      { created: 9, data: [{ url }] },
      { images: 1 },
    ],
    [
      "qwen-image-tasks",
      {
        output: {
          task_status: "SUCCEEDED",
          results: [
            { code: "X", message: "no" },
            { url, actual_prompt: "r" },
          ],
        },
      },
      { created: 9, data: [{ url, revised_prompt: "r" }] },
      { images: 1 },
    ],
    [
      "content",
      {
        candidates: [
          {
            content: {
              parts: [
                { text: "here" },
                { inlineData: { mimeType: "image/png", data: "ZHJhZnQ=" }, thought: true },
                { inlineData: { mimeType: "image/png", data: "aGk=" } },
              ],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1_290 },
      },
      {
        created: 9,
        data: [{ b64_json: "aGk=" }],
        usage: { input_tokens: 3, output_tokens: 1_290, total_tokens: 1_293 },
      },
      { images: 1, inputTokens: 3, outputTokens: 1_290 },
    ],
    [
      "content",
      {
        candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] } }],
        usageMetadata: {
          promptTokenCount: 268,
          candidatesTokenCount: 1_130,
          thoughtsTokenCount: 90,
          promptTokensDetails: [
            { modality: "TEXT", tokenCount: 10 },
            { modality: "IMAGE", tokenCount: 258 },
          ],
          candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_120 }],
        },
      },
      {
        created: 9,
        data: [{ b64_json: "aGk=" }],
        usage: {
          input_tokens: 268,
          input_tokens_details: { text_tokens: 10, image_tokens: 258 },
          output_tokens: 1_220,
          output_tokens_details: { text_tokens: 100, image_tokens: 1_120 },
          total_tokens: 1_488,
        },
      },
      {
        images: 1,
        inputTokens: 10,
        inputImageTokens: 258,
        outputTokens: 100,
        reasoningTokens: 90,
        outputImageTokens: 1_120,
      },
    ],
  ])("of %s is parsed", (wire, body, rendered, units) => {
    const answer = parse(wire, body);
    expect(renderImages(answer, { now: 9, act: "generation" })).toEqual(rendered);
    expect(answer.usage).toEqual(units);
  });

  test.each(["PENDING", "RUNNING"])("that is a running task is recognised: %s", (status) => {
    const { taskOf } = wires["qwen-image-tasks"].vendor;
    expect(taskOf({ output: { task_status: status, task_id: "t" } })).toBe("t");
    expect(taskOf({ output: { task_status: "SUCCEEDED", task_id: "t" } })).toBeUndefined();
  });

  test.each<[keyof typeof wires, object, string]>([
    ["images", { created: 1, data: [] }, "upstream_error"],
    ["images", { data: "x" }, "upstream_error"],
    [
      "images",
      { data: [{ error: { code: "OutputImageSensitiveContentDetected", message: "no" } }] },
      "upstream_rejected",
    ],
    ["qwen-images", { code: "InvalidParameter", message: "no" }, "upstream_rejected"],
    [
      "qwen-image-tasks",
      { output: { task_status: "FAILED", code: "DataInspectionFailed", message: "no" } },
      "upstream_rejected",
    ],
    ["qwen-image-tasks", { output: { task_status: "FAILED", code: "InternalError" } }, "upstream_error"],
    ["qwen-image-tasks", { output: { task_status: "UNKNOWN" } }, "upstream_error"],
    ["qwen-image-tasks", { output: { task_status: "PENDING" } }, "upstream_error"],
    [
      "qwen-image-tasks",
      { output: { task_status: "SUCCEEDED", results: [{ code: "DataInspectionFailed" }] } },
      "upstream_rejected",
    ],
    ["content", { promptFeedback: { blockReason: "SAFETY" } }, "upstream_rejected"],
    ["content", { candidates: [{ finishReason: "IMAGE_SAFETY" }] }, "upstream_rejected"],
    ["content", { candidates: [{ finishReason: "STOP", content: { parts: [{ text: "no" }] } }] }, "upstream_error"],
  ])("of %s without an image fails: %j", (wire, body, code) => {
    expect(failureOf(() => parse(wire, body)).code).toBe(code);
  });

  test("is streamed as one event per image", () => {
    const events = renderImageStream(
      { images: [{ base64: "YQ==" }, { base64: "Yg==" }], created: 4 },
      { now: 9, act: "edit" },
    );
    const frames = events.split("\n\n").filter((frame) => frame !== "");
    const begin = "event: image_edit.completed\ndata: ";
    expect(frames.map((frame) => frame.startsWith(begin) && JSON.parse(frame.slice(begin.length)))).toMatchObject(
      ["YQ==", "Yg=="].map((b64_json) => ({ type: "image_edit.completed", b64_json, created_at: 4 })),
    );
  });

  test("as an event has the fields that clients expect, and the vendor's values where it sends them", () => {
    const dataOf = (more: object) =>
      JSON.parse(
        renderImageStream(
          { images: [{ base64: jpeg.toString("base64") }], ...more },
          { now: 9, act: "generation" },
        ).split("data: ")[1] ?? "",
      );
    expect(dataOf({})).toMatchObject({
      size: "auto",
      quality: "auto",
      background: "auto",
      output_format: "jpeg",
      usage: { total_tokens: 0 },
    });
    expect(dataOf({ more: { size: "1024x1024" }, tokens: { outputTokens: 7 } })).toMatchObject({
      size: "1024x1024",
      usage: { output_tokens: 7 },
    });
  });

  test("with bytes becomes an address, and back", () => {
    const base64 = jpeg.toString("base64");
    expect(imageDataUrl(base64)).toBe(`data:image/jpeg;base64,${base64}`);
    expect(base64InUrl(imageDataUrl(base64))).toBe(base64);
    expect(base64InUrl(url)).toBeUndefined();
  });
});

describe("a stream that is passed on", () => {
  const frame = (type: string, more: object = {}) =>
    Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, b64_json: "aGk=", ...more })}\n\n`);
  const usage = { input_tokens: 2, output_tokens: 7 };

  test("counts completed images", () => {
    const pass = wires.images.pass.stream();
    expect(pass.inspect(frame("image_generation.partial_image")).usage).toEqual({ images: 0 });
    expect(pass.inspect(frame("image_generation.completed", { usage }))).toMatchObject({
      done: true,
      usage: { images: 1, inputTokens: 2, outputImageTokens: 7 },
    });
    expect(pass.inspect(frame("image_generation.completed", { usage })).usage).toEqual({
      images: 2,
      inputTokens: 4,
      outputTokens: 0,
      outputImageTokens: 14,
    });
  });

  test("counts the images of Seedream's sequence, of which one may fail", () => {
    const pass = wires.images.pass.stream(15);
    const failed = Buffer.from(
      'data: {"type":"image_generation.partial_failed","error":{"code":"OutputImageSensitiveContentDetected"}}\n\n',
    );
    const end = { type: "image_generation.completed", usage: { generated_images: 2, output_tokens: 9 } };
    expect(pass.inspect(failed)).toMatchObject({ failure: undefined, done: false });
    expect(wires.images.pass.isFirstEvent(JSON.parse(failed.toString().slice(6)))).toBe(true);
    for (const images of [1, 2])
      expect(pass.inspect(frame("image_generation.partial_succeeded"))).toMatchObject({
        done: false,
        usage: { images },
      });
    expect(pass.endsWithConnection).toBe(true);
    expect(pass.inspect(Buffer.from(`data: ${JSON.stringify(end)}\n\n`))).toMatchObject({
      done: true,
      usage: { images: 2, outputImageTokens: 9 },
    });
    expect(pass.endsWithConnection).toBe(false);
  });

  test("counts no image for the end of such a sequence without a number", () => {
    const pass = wires.images.pass.stream(15);
    for (const images of [1, 2])
      expect(pass.inspect(frame("image_generation.partial_succeeded")).usage).toEqual({ images });
    const end = 'data: {"type":"image_generation.completed","created_at":1,"url":""}\n\n';
    expect(pass.inspect(Buffer.from(end))).toMatchObject({ done: true, usage: { images: 2 } });
    expect(pass.endsWithConnection).toBe(false);
  });

  test("recognises a partial image by its event or its type, not by words in a prompt", () => {
    const bare = Buffer.from('data: {"b64_json":"aGk=","type":"image_edit.partial_image"}\n\n');
    expect(wires.images.pass.stream().inspect(bare).usage).toEqual({ images: 0 });
    expect(
      wires.images.pass.stream().inspect(Buffer.from('data: {"x":"image_edit.partial_image"}\n\n')).usage,
    ).toBeUndefined();
  });

  test.each([
    'event: error\ndata: {"type":"error","error":{"message":"no"}}\n\n',
    'data: {"error":{"message":"no"}}\n\n',
  ])("fails with %s", (text) => {
    expect(wires.images.pass.stream().inspect(Buffer.from(text)).failure).toMatchObject({ message: "no" });
  });
});
