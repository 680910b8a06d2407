import { describe, expect, test } from "vitest";
import { Failure, clientVideoWires, type ClientVideoWire, type VideoWire } from "@modelgate/contracts";
import { maxStepBytes, runToEnd } from "@modelgate/formats/json";
import { checkImages, requestedVideoOf, wires, type VideoTask } from "../src/video/index.ts";

const task: VideoTask = {
  id: "video_1",
  model: "film",
  state: "completed",
  progress: 100,
  createdAt: 1_763_700_000_123,
  endedAt: 1_763_700_060_000,
  expiresAt: 1_763_786_400_000,
  requested: { prompt: "a boat", seconds: 5, size: "1280x720", seed: 7, fromImage: false },
};
const context = { requestId: "req-1", contentUrl: "https://gate.example/content" };
const png = "iVBORw0KGgoAAAANSUhEUg==";
const parse = (wire: ClientVideoWire, body: object) => wires[wire].client.read({ ...body });
const render = (wire: VideoWire, body: object, from: ClientVideoWire = "video-generations") =>
  wires[wire].vendor.render(parse(from, body).request, { model: "vendor-model" });
const failureOf = (act: () => unknown): Failure => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was refused");
};

test.each<[string, (members: object) => object, string | undefined]>([
  ["unknown members", (members) => members, undefined],
  ["metadata", (members) => ({ metadata: members }), "metadata"],
])("too many %s are refused", (_, place, param) => {
  const members = Object.fromEntries(Array.from({ length: 1_001 }, (__, at) => [`k${at}`, at]));
  for (const wire of ["videos", "video-generations"] as const)
    expect(failureOf(() => parse(wire, { model: "film", prompt: "a boat", ...place(members) }))).toMatchObject({
      code: "invalid_value",
      ...(param === undefined ? {} : { param }),
    });
});

describe("the same request in four styles is equal in the neutral form", () => {
  test.each([
    ["videos", { model: "film", prompt: "a boat", seconds: "5", size: "1280x720" }],
    ["videos", { model: "film", prompt: "a boat", seconds: 5, size: "1280x720" }],
    ["video-generations", { model: "film", prompt: "a boat", duration: 5, width: 1280, height: 720 }],
    ["kling-video", { model_name: "film", prompt: "a boat", duration: "5", width: 1280, height: 720 }],
    ["kling-video", { model: "film", prompt: "a boat", duration: 5, size: "1280*720" }],
  ] as const)("%s %j", (wire, body) => {
    expect(parse(wire, body).request).toEqual({
      model: "film",
      prompt: "a boat",
      seconds: 5,
      size: { width: 1280, height: 720 },
    });
  });

  test("frames are converted to seconds", () => {
    const { request } = parse("jimeng-video", {
      req_key: "film",
      prompt: "a boat",
      frames: 241,
      aspect_ratio: "16:9",
      seed: -1,
    });
    expect(request).toEqual({ model: "film", prompt: "a boat", seconds: 10, aspectRatio: "16:9" });
    expect(failureOf(() => parse("jimeng-video", { req_key: "film", prompt: "a", frames: 100 })).param).toBe("frames");
  });

  test.each([
    ["videos", { model: "film", prompt: "p", input_reference: { image_url: `data:image/png;base64,${png}` } }],
    ["videos", { model: "film", prompt: "p", input_reference: `data:application/octet-stream;base64,${png}` }],
    ["video-generations", { model: "film", prompt: "p", image: png }],
    ["kling-video", { model: "film", prompt: "p", image: `data:image/png;base64,${png}` }],
    ["jimeng-video", { req_key: "film", prompt: "p", binary_data_base64: [png] }],
  ] as const)("a picture's bytes in %s", (wire, body) => {
    expect(parse(wire, body).request.firstFrame).toMatchObject({ kind: "data", mediaType: "image/png", data: png });
  });
});

const step = "A".repeat(maxStepBytes);
test.each([
  ["plain", png, true],
  ["of the alphabet for URLs", "ab-_", true],
  ["padded", "QQ==", true],
  ["long and padded", `${step}A==`, true],
  ["padding alone", "==", false],
  ["with a space", "QQ QQ", false],
  ["with three signs of padding", "Q===", false],
  ["with a wrong character at the end of a step", `${step.slice(1)}!${step}`, false],
  ["with a wrong character at the begin of a step", `${step}!`, false],
])("a picture %s is checked", (_, image, isValid) => {
  const { request } = parse("video-generations", { model: "film", prompt: "p", image });
  const check = (): unknown => runToEnd(checkImages(request));
  if (isValid) expect(check()).toBeUndefined();
  else expect(failureOf(check)).toMatchObject({ code: "invalid_value", param: "image" });
});

test.each(["image/x\r\nx-a: b", "text/html"])("a picture of the media type %j is refused", (type) => {
  const body = { model: "film", prompt: "p", input_reference: `data:${type};base64,QUJD` };
  expect(failureOf(() => parse("videos", body))).toMatchObject({ code: "invalid_value", param: "input_reference" });
});

test("a stored task has the beginning of long texts, so that NATS accepts its events", () => {
  const [prompt, aspect_ratio] = ["p".repeat(2_000_000), "1".repeat(2_000_000)];
  const { request } = parse("video-generations", { model: "film", prompt, aspect_ratio });
  expect(JSON.stringify(requestedVideoOf(request, 5)).length).toBeLessThan(100_000);
  expect(request.prompt).toBe(prompt);
});

test("a large picture is checked in several steps", () => {
  const { request } = parse("video-generations", { model: "film", prompt: "p", image: step.repeat(3) });
  expect([...checkImages(request)]).toHaveLength(2);
});

describe("a vendor gets", () => {
  const clientBody = { model: "film", prompt: "a boat", duration: 10, width: 1280, height: 720 };
  test.each([
    ["videos", { model: "vendor-model", prompt: "a boat", seconds: "10", size: "1280x720" }],
    ["video-generations", { model: "vendor-model", prompt: "a boat", duration: 10, width: 1280, height: 720 }],
    ["kling-video", { model_name: "vendor-model", prompt: "a boat", duration: "10", aspect_ratio: "16:9" }],
    ["jimeng-video", { req_key: "vendor-model", prompt: "a boat", frames: 241, aspect_ratio: "16:9" }],
  ] as const)("%s", (wire, body) => {
    expect(render(wire, clientBody)).toEqual({
      body,
      dropped: [],
      seconds: 10,
      // Kling and jimeng receive an aspect ratio instead of a size.
      lines: "size" in body || "width" in body ? 720 : undefined,
      ...(wire === "videos" ? { file: undefined } : {}),
    });
  });

  test.each([
    ["videos", 4],
    ["video-generations", 5],
    ["kling-video", 5],
    ["jimeng-video", 5],
    ["veo-video", 8],
    ["vertex-video", 8],
    ["wan-video", 5],
    ["seedance-video", 5],
  ] as const)("%s a length even if the client sets none: %i s", (wire, seconds) => {
    const rendered = render(wire, { model: "film", prompt: "a boat" });
    expect(rendered.seconds).toBe(seconds);
    expect(wires[wire].vendor.defaultSeconds).toBe(seconds);
  });

  test("pictures in its own form", () => {
    const both = { model: "film", prompt: "p", image: png, image_tail: png };
    expect(render("videos", { ...both, image_tail: undefined }).file).toMatchObject({
      name: "input_reference",
      data: png,
    });
    expect(render("kling-video", both).body).toMatchObject({ image: png, image_tail: png });
    expect(render("jimeng-video", both).body).toMatchObject({ binary_data_base64: [png, png] });
    expect(render("video-generations", both).body).toMatchObject({ image: `data:image/png;base64,${png}` });
    const bodyWithUrl = { model: "film", prompt: "p", image: "https://x.example/a.png" };
    expect(render("videos", bodyWithUrl).body).toMatchObject({ input_reference: { image_url: bodyWithUrl.image } });
    expect(render("jimeng-video", bodyWithUrl).body).toMatchObject({ image_urls: [bodyWithUrl.image] });
  });

  test("its own members unchanged, and no other vendor's", () => {
    const body = { model_name: "film", prompt: "p", cfg_scale: 0.5, callback_url: "https://x.example" };
    expect(parse("kling-video", body).dropped).toEqual(["callback_url"]);
    expect(render("kling-video", body, "kling-video").body).toMatchObject({ cfg_scale: 0.5 });
    const other = render("videos", body, "kling-video");
    expect([other.body["cfg_scale"], other.dropped]).toEqual([undefined, ["cfg_scale"]]);
  });

  test("parameters in metadata if it supports them", () => {
    const body = { model: "film", prompt: "p", metadata: { mode: "pro", other: 1 } };
    const rendered = render("kling-video", body);
    expect([rendered.body["mode"], rendered.dropped, rendered.lines]).toEqual(["pro", ["extras.other"], 1_080]);
    expect(failureOf(() => parse("video-generations", { ...body, metadata: { duration: 10 } }))).toMatchObject({
      code: "invalid_value",
      param: "metadata.duration",
    });
  });

  test.each<[unknown, string]>([
    [{ resolution: "1080p" }, "metadata.resolution"],
    [{ Resolution: "1080p" }, "metadata.Resolution"],
    [{ Model: "more expensive" }, "metadata.Model"],
    [{ ſize: "1080p" }, "metadata.\u017Fize"],
    [{ parameters: { duration: 15 } }, "metadata.parameters.duration"],
    [{ extra_body: { parameters: { Resolution: "1080P" } } }, "metadata.extra_body.parameters.Resolution"],
  ])("no priced parameter in metadata: %j", (metadata, param) => {
    const body = { model: "film", prompt: "p" };
    for (const wire of ["videos", "video-generations", "kling-video"] as const)
      expect(failureOf(() => parse(wire, { ...body, metadata }))).toMatchObject({ code: "invalid_value", param });
    for (const form of [{ metadata: JSON.stringify(metadata) }, { metadata: "", Metadata: JSON.stringify(metadata) }])
      expect(failureOf(() => parse("videos", { ...body, ...form })).param?.toLowerCase()).toBe(param.toLowerCase());
  });

  test("no metadata that only some parsers can read", () => {
    const body = { model: "film", prompt: "p", metadata: '{"x":NaN,"duration":60}' };
    expect(failureOf(() => parse("videos", body))).toMatchObject({ code: "invalid_value", param: "metadata" });
  });

  test("a text as metadata of another object", () => {
    const body = { model: "film", prompt: "p", webhook: { metadata: "order 7" } };
    expect(parse("videos", body).request.additional?.members).toEqual({ webhook: body.webhook });
    for (const metadata of ['{"n":4}', "{n:4}"])
      expect(failureOf(() => parse("videos", { ...body, webhook: { metadata } }))).toMatchObject({
        code: "invalid_value",
      });
  });

  test.each<[ClientVideoWire, object, number | undefined]>([
    ["videos", { seconds: "4" }, 4],
    ["videos", { seconds: "4.0" }, 4],
    ["videos", { seconds: "04" }, 4],
    ["videos", { seconds: 1e1 }, 10],
    ["videos", { seconds: "1e1" }, undefined],
    ["videos", { seconds: " 4" }, undefined],
    ["videos", { seconds: "0x10" }, undefined],
    ["videos", { seconds: 1e300 }, undefined],
    ["videos", { seconds: "601" }, undefined],
    ["videos", { seconds: 0.001 }, undefined],
    ["videos", { seconds: "0.5" }, undefined],
    ["videos", { seconds: -4 }, undefined],
    ["videos", { seconds: [4] }, undefined],
    ["video-generations", { duration: 0.5 }, undefined],
    ["kling-video", { duration: "5.0" }, 5],
  ])("%s the seconds that are priced, and no others: %j", (wire, length, seconds) => {
    const body = { model: "film", prompt: "p", ...length };
    if (seconds === undefined) {
      expect(failureOf(() => parse(wire, body)).code).toBe("invalid_value");
      return;
    }
    const rendered = render(wire, body, wire);
    expect(rendered.seconds).toBe(seconds);
    expect(Number(rendered.body["seconds"] ?? rendered.body["duration"])).toBe(seconds);
  });

  test.each<[ClientVideoWire, string]>([
    ["videos", "frames"],
    ["videos", "num_frames"],
    ["videos", "numFrames"],
    ["videos", "seconds[]"],
    ["videos", "batch_size"],
    ["video-generations", "video_length"],
    ["video-generations", "Duration"],
    ["video-generations", "num_videos"],
    ["kling-video", "duration_seconds"],
    ["jimeng-video", "duration"],
    ["jimeng-video", "seconds"],
    ["video-generations", "\u017Feconds"],
  ])("%s no length or number under a name that was not priced: %s", (wire, name) => {
    const body = { model: "film", req_key: "film", prompt: "p", [name]: 600 };
    const { code, param } = failureOf(() => parse(wire, body));
    expect({ code, param }).toEqual({ code: "invalid_value", param: name });
  });

  test.each([
    ["kling-video", { duration: 7 }, "seconds"],
    ["kling-video", { image_tail: png }, "lastFrame"],
    ["jimeng-video", { duration: 6 }, "seconds"],
    ["jimeng-video", { negative_prompt: "cars" }, "negativePrompt"],
    ["jimeng-video", { image: png, image_tail: "https://x.example" }, "firstFrame"],
    ["videos", { image_tail: png }, "lastFrame"],
    ["veo-video", { duration: 5 }, "seconds"],
    ["vertex-video", { image: "https://x.example/a.png" }, "firstFrame"],
    ["wan-video", { duration: 16 }, "seconds"],
    ["wan-video", { duration: 2.5 }, "seconds"],
    ["seedance-video", { image_tail: png }, "lastFrame"],
    // The vendor would make a longer or larger video than was paid for.
    ["seedance-video", { prompt: "a boat --dur 12" }, "prompt"],
    ["seedance-video", { prompt: "a boat --resolution 1080p" }, "prompt"],
  ] as const)("%s nothing that it does not support: %j", (wire, more, param) => {
    expect(failureOf(() => render(wire, { model: "film", prompt: "p", ...more }))).toMatchObject({
      code: "unsupported_parameter",
      param,
    });
  });
});

test.each([
  ["kling-video", { fps: 30, size: "1792x1024" }, ["size", "fps"]],
  ["kling-video", { size: "1280x720" }, []],
  ["kling-video", { size: "1920x1080" }, ["size"]],
  ["kling-video", { size: "1920x1080", metadata: { mode: "pro" } }, []],
  ["kling-video", { size: "1280x720", aspect_ratio: "9:16" }, ["size"]],
  ["kling-video", { size: "1280x720", aspect_ratio: "21:9" }, ["aspectRatio"]],
  ["jimeng-video", { size: "1920x1080" }, ["size"]],
  ["jimeng-video", { fps: 30, aspect_ratio: "2:1" }, ["aspectRatio", "fps"]],
  ["jimeng-video", { fps: 24 }, []],
  ["videos", { fps: 24, aspect_ratio: "16:9", seed: 7 }, ["seed", "fps", "aspectRatio"]],
  ["veo-video", { fps: 24, seed: 7, size: "1792x1024" }, ["size", "seed"]],
  ["vertex-video", { fps: 30, seed: 7, size: "640x360" }, ["size", "fps"]],
  ["wan-video", { fps: 24, aspect_ratio: "21:9" }, ["aspectRatio", "fps"]],
  ["wan-video", { image: png, size: "1280x720" }, ["size"]],
  ["seedance-video", { size: "854x480", aspect_ratio: "16:9" }, []],
  ["seedance-video", { size: "2560x1080", aspect_ratio: "21:9" }, []],
  ["seedance-video", { size: "1280x720", aspect_ratio: "9:16" }, ["size"]],
  ["seedance-video", { fps: 24, negative_prompt: "cars", aspect_ratio: "21:9" }, ["negativePrompt"]],
] as const)("%s is not sent unsupported fields, and they are named: %j", (wire, more, dropped) => {
  const rendered = render(wire, { model: "film", prompt: "p", ...more });
  expect(rendered.dropped).toEqual(dropped);
  expect(rendered.body).not.toHaveProperty("fps");
});

/** Requests in wires with `metadata` for vendors whose wires have no clients. */
describe("a vendor whose wire has no client gets", () => {
  const clientBody = { model: "film", prompt: "a boat", duration: 8, width: 1920, height: 1080, seed: 7 };
  const frames = { image: png, image_tail: png };
  const veoImage = { bytesBase64Encoded: png, mimeType: "image/png" };
  const url = `data:image/png;base64,${png}`;
  const hd = { sampleCount: 1, durationSeconds: 8, aspectRatio: "16:9", resolution: "1080p" };
  test.each<[string, VideoWire, string, object, object]>([
    ["Veo", "veo-video", "veo-3.1", {}, { instances: [{ prompt: "a boat" }], parameters: hd }],
    [
      "Veo's silence",
      "vertex-video",
      "veo-3.1-generate-001",
      {},
      { instances: [{ prompt: "a boat" }], parameters: { ...hd, generateAudio: false, seed: 7 } },
    ],
    [
      "Veo 2",
      "vertex-video",
      "veo-2.0-generate-001",
      {},
      { instances: [{ prompt: "a boat" }], parameters: { ...hd, seed: 7 } },
    ],
    [
      "Veo's frames",
      "vertex-video",
      "veo-3.1",
      { ...frames, negative_prompt: "cars", metadata: { generateAudio: false, storageUri: "gs://mine" } },
      {
        instances: [{ prompt: "a boat", image: veoImage, lastFrame: veoImage }],
        parameters: { ...hd, generateAudio: false, negativePrompt: "cars", seed: 7 },
      },
    ],
    [
      "Wan",
      "wan-video",
      "wan2.7-t2v",
      { negative_prompt: "cars" },
      {
        model: "wan2.7-t2v",
        input: { prompt: "a boat", negative_prompt: "cars" },
        parameters: { resolution: "1080P", ratio: "16:9", duration: 8, seed: 7 },
      },
    ],
    [
      "Wan's frames",
      "wan-video",
      "wan2.7-i2v",
      { ...frames, metadata: { watermark: true } },
      {
        model: "wan2.7-i2v",
        input: {
          prompt: "a boat",
          media: [
            { type: "first_frame", url },
            { type: "last_frame", url },
          ],
        },
        parameters: { resolution: "1080P", duration: 8, seed: 7, watermark: true },
      },
    ],
    [
      "an older Wan model",
      "wan-video",
      "wan2.5-t2v-preview",
      {},
      {
        model: "wan2.5-t2v-preview",
        input: { prompt: "a boat" },
        parameters: { size: "1920*1080", duration: 8, seed: 7 },
      },
    ],
    [
      "an older Wan model with a picture",
      "wan-video",
      "wan2.6-i2v",
      { image: "https://x.example/a.png" },
      {
        model: "wan2.6-i2v",
        input: { prompt: "a boat", img_url: "https://x.example/a.png" },
        parameters: { resolution: "1080P", duration: 8, seed: 7 },
      },
    ],
    [
      "an older Wan model with frames",
      "wan-video",
      "wan2.2-kf2v-flash",
      frames,
      {
        model: "wan2.2-kf2v-flash",
        input: { prompt: "a boat", first_frame_url: url, last_frame_url: url },
        parameters: { resolution: "1080P", duration: 8, seed: 7 },
      },
    ],
    [
      "Seedance",
      "seedance-video",
      "doubao-seedance",
      { ...frames, metadata: { generate_audio: true, service_tier: "flex" } },
      {
        model: "doubao-seedance",
        content: [
          { type: "text", text: "a boat" },
          { type: "image_url", image_url: { url }, role: "first_frame" },
          { type: "image_url", image_url: { url }, role: "last_frame" },
        ],
        duration: 8,
        resolution: "1080p",
        ratio: "16:9",
        seed: 7,
        generate_audio: true,
      },
    ],
  ])("%s", (_, wire, model, more, body) => {
    const { request } = parse("video-generations", { ...clientBody, ...more });
    const rendered = wires[wire].vendor.render(request, { model });
    expect(rendered).toMatchObject({ seconds: 8, lines: 1_080 });
    expect(rendered.body).toEqual(body);
  });

  test("the fields of second-generation Veo", () => {
    const { request } = parse("video-generations", { model: "film", prompt: "p", duration: 5 });
    expect(wires["veo-video"].vendor.render(request, { model: "veo-2.0-generate-001" }).seconds).toBe(5);
  });
});

describe("a task is rendered in its client's style", () => {
  test("A", () => {
    expect(wires.videos.client.render(task)).toEqual({
      id: "video_1",
      object: "video",
      model: "film",
      status: "completed",
      progress: 100,
      created_at: 1_763_700_000,
      completed_at: 1_763_700_060,
      expires_at: 1_763_786_400,
      seconds: "5",
      size: "1280x720",
      prompt: "a boat",
      remixed_from_video_id: null,
      error: null,
    });
  });

  test("B, and C with its envelope", () => {
    const common = {
      task_id: "video_1",
      status: "completed",
      url: context.contentUrl,
      format: "mp4",
      metadata: { duration: 5, width: 1280, height: 720, seed: 7 },
      error: null,
    };
    expect(wires["video-generations"].client.render(task, context)).toMatchObject(common);
    expect(wires["kling-video"].client.render(task, context)).toMatchObject({
      ...common,
      code: 0,
      message: "SUCCEED",
      request_id: "req-1",
      data: {
        task_id: "video_1",
        task_status: "succeed",
        task_result: { videos: [{ url: context.contentUrl, duration: "5" }] },
      },
    });
  });

  test("D", () => {
    const { render, created } = wires["jimeng-video"].client;
    expect(created(task, context)).toMatchObject({ code: 10_000, data: { task_id: "video_1" } });
    expect(render(task, context)).toMatchObject({
      code: 10_000,
      data: { status: "done", video_url: context.contentUrl },
    });
    const failed = { ...task, state: "failed" as const, error: { code: "50412", message: "review" } };
    expect(render(failed, context)).toMatchObject({ code: 50_412, message: "review", data: { status: "done" } });
  });

  test("and is read by another gateway that uses modelgate as its vendor", () => {
    for (const wire of clientVideoWires) {
      const { client, vendor } = wires[wire];
      expect(vendor.started(client.created({ ...task, state: "queued" }, context))).toBe("video_1");
      for (const state of ["queued", "in_progress", "completed", "failed"] as const) {
        const error = { code: "502", message: "no" };
        const parsedResult = vendor.parse(client.render({ ...task, state, error }, context));
        const kinds = { queued: "pending", in_progress: "pending", completed: "finished", failed: "failed" } as const;
        expect([wire, state, parsedResult.kind]).toEqual([wire, state, kinds[state]]);
        if (parsedResult.kind === "pending") expect(parsedResult.state).toBe(state);
      }
    }
  });
});

test("an invalid size is not reported", () => {
  for (const size of [1280, "large", "1x1", "720x1280; x"])
    expect(wires.videos.vendor.parse({ status: "completed", size })).not.toHaveProperty("size");
});

const url = "https://x.example/v.mp4";
test.each([
  ["videos", { status: "completed", size: "1280x720" }],
  ["video-generations", { status: "succeeded", url, size: "1280x720" }],
  ["video-generations", { status: "succeeded", url, width: 1280, height: 720 }],
  ["video-generations", { status: "succeeded", url, metadata: { duration: 5, width: 1280, height: 720 } }],
  ["video-generations", { status: "succeeded", url, resolution: "1280x720" }],
  ["wan-video", { output: { task_status: "SUCCEEDED", video_url: url }, usage: { size: "1280*720", SR: 720 } }],
  ["wan-video", { output: { task_status: "SUCCEEDED", video_url: url }, usage: { video_ratio: "1280*720" } }],
  ["seedance-video", { status: "succeeded", content: { video_url: url }, resolution: "1280x720" }],
] as const)("the size that a vendor reports is kept: %s %j", (wire, body) => {
  expect(wires[wire].vendor.parse(body)).toMatchObject({ kind: "finished", size: "1280x720" });
});

test.each([
  ["video-generations", { status: "succeeded", url, resolution: "720p" }],
  ["wan-video", { output: { task_status: "SUCCEEDED", video_url: url }, usage: { video_ratio: "standard", SR: 720 } }],
  ["seedance-video", { status: "succeeded", content: { video_url: url }, resolution: "720p", ratio: "16:9" }],
] as const)("the name of a resolution is not a size: %s %j", (wire, body) => {
  expect(wires[wire].vendor.parse(body)).not.toHaveProperty("size");
});

describe("a vendor's texts", () => {
  test.each([
    ["videos", { status: "in_progress", progress: 40 }, { kind: "pending", state: "in_progress", progress: 40 }],
    ["videos", { status: "queued", size: "720x1280" }, { kind: "pending", state: "queued", size: "720x1280" }],
    ["videos", { status: "completed", size: "720x1280" }, { kind: "finished", size: "720x1280" }],
    ["videos", { status: "cancelled" }, { kind: "failed" }],
    ["videos", { status: "dreaming" }, { kind: "unknown" }],
    ["videos", { status: "constructor" }, { kind: "unknown" }],
    ["videos", {}, { kind: "unknown" }],
    ["video-generations", { status: "SUCCESS", url: "https://x" }, { kind: "finished", result: { url: "https://x" } }],
    [
      "video-generations",
      { status: "done", url: "", metadata: { url: "https://m" } },
      { result: { url: "https://m" } },
    ],
    [
      "video-generations",
      { code: "success", data: { status: "IN_PROGRESS", progress: "30%" } },
      { kind: "pending", progress: 30 },
    ],
    [
      "video-generations",
      { data: { status: "FAILURE", fail_reason: "no" } },
      { kind: "failed", error: { message: "no" } },
    ],
    ["kling-video", { code: 0, data: { task_status: "submitted" } }, { kind: "pending", state: "queued" }],
    [
      "kling-video",
      { code: 0, data: { task_status: "failed", task_status_msg: "no" } },
      { kind: "failed", error: { message: "no" } },
    ],
    ["kling-video", { code: 0, data: { task_status: "succeed" } }, { kind: "pending", state: "in_progress" }],
    ["kling-video", { code: 1302, message: "too fast" }, { kind: "unknown" }],
    // Another gateway behind Kling's paths.
    ["kling-video", { code: "success", data: { status: "IN_PROGRESS" } }, { kind: "pending", state: "in_progress" }],
    [
      "kling-video",
      { code: "success", data: { status: "SUCCESS", result_url: "https://x" } },
      { kind: "finished", result: { url: "https://x" } },
    ],
    ["jimeng-video", { code: 10_000, data: { status: "generating" } }, { kind: "pending", state: "in_progress" }],
    ["jimeng-video", { code: 10_000, data: { status: "not_found" } }, { kind: "not-found" }],
    // The operator's key lacks access or cannot pay, which shows nothing about the task.
    ["jimeng-video", { code: 50_400, message: "Access Denied" }, { kind: "unknown" }],
    ["jimeng-video", { code: 50_411, message: "review" }, { kind: "failed", error: { code: "50411" } }],
    ["jimeng-video", { code: 10_000, data: { status: "expired" } }, { kind: "failed", error: { code: "expired" } }],
    ["jimeng-video", { code: 50_430, message: "many" }, { kind: "unknown" }],
    [
      "jimeng-video",
      { code: 50_512, message: "no", data: { status: "done" } },
      { kind: "failed", error: { code: "50512" } },
    ],
    ["jimeng-video", { code: 10_000, data: null }, { kind: "unknown" }],
    ["veo-video", { name: "models/m/operations/1" }, { kind: "pending", state: "in_progress" }],
    [
      "veo-video",
      {
        name: "o",
        done: true,
        response: { generateVideoResponse: { generatedSamples: [{ video: { uri: "https://x" } }] } },
      },
      { kind: "finished", result: { url: "https://x", keptMs: 172_800_000 } },
    ],
    [
      "veo-video",
      {
        name: "o",
        done: true,
        response: {
          generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["Not this.", "Nor that."] },
        },
      },
      { kind: "failed", error: { code: "rai_media_filtered", message: "Not this. Nor that." } },
    ],
    [
      "veo-video",
      { name: "o", done: true, error: { code: 13, message: "oh" } },
      { error: { code: "13", message: "oh" } },
    ],
    ["veo-video", { name: "o", done: true, response: {} }, { kind: "failed", error: { code: "upstream_error" } }],
    ["veo-video", { error: { code: 500, message: "oh" } }, { kind: "unknown" }],
    [
      "vertex-video",
      { name: "o", done: true, response: { videos: [{ gcsUri: "gs://b/o.mp4", mimeType: "video/mp4" }] } },
      { kind: "finished", result: { url: "gs://b/o.mp4" } },
    ],
    [
      "vertex-video",
      { name: "o", done: true, response: { videos: [{ bytesBase64Encoded: "AA" }] } },
      { kind: "finished", result: {} },
    ],
    [
      "vertex-video",
      { name: "o", done: true, response: { raiMediaFilteredCount: 1, videos: [] } },
      { kind: "failed", error: { code: "rai_media_filtered" } },
    ],
    ["wan-video", { output: { task_status: "PENDING" } }, { kind: "pending", state: "queued" }],
    ["wan-video", { output: { task_status: "UNKNOWN" } }, { kind: "not-found" }],
    ["wan-video", { output: { task_status: "SUCCEEDED" } }, { kind: "pending", state: "in_progress" }],
    [
      "wan-video",
      { output: { task_status: "SUCCEEDED", results: { video_url: "https://x" } } },
      { kind: "finished", result: { url: "https://x", keptMs: 86_400_000 } },
    ],
    [
      "wan-video",
      { output: { task_status: "FAILED", code: "DataInspectionFailed", message: "Inappropriate." } },
      { kind: "failed", error: { code: "DataInspectionFailed", message: "Inappropriate." } },
    ],
    ["wan-video", { code: "Throttling", message: "fast" }, { kind: "unknown" }],
    ["seedance-video", { id: "c", status: "running" }, { kind: "pending", state: "in_progress" }],
    ["seedance-video", { status: "succeeded", content: { video_url: "https://x" } }, { kind: "finished" }],
    [
      "seedance-video",
      { status: "failed", error: { code: "OutputVideoSensitiveContentDetected", message: "no" } },
      { kind: "failed", error: { code: "OutputVideoSensitiveContentDetected", message: "no" } },
    ],
    ["seedance-video", { status: "cancelled" }, { kind: "failed" }],
    ["seedance-video", { status: "dreaming" }, { kind: "unknown" }],
  ] as const)("are read: %s %j", (wire, body, sighting) => {
    expect(wires[wire].vendor.parse(body)).toMatchObject(sighting);
  });

  test("a task of another gateway behind Kling's paths is read", () => {
    const created = { id: "task_9", task_id: "task_9", object: "video", model: "kling-v1", status: "queued" };
    expect(wires["kling-video"].vendor.started(created)).toBe("task_9");
  });

  test.each([
    ["videos", {}],
    ["videos", { id: "../other" }],
    ["video-generations", { task_id: "" }],
    ["kling-video", { code: 1201, message: "no" }],
    ["kling-video", { code: 0, task_id: "task_9" }],
    ["jimeng-video", { code: 50_412, data: null }],
    ["veo-video", {}],
    ["veo-video", { name: "models/../operations/1" }],
    ["vertex-video", { name: "projects/p" }],
    ["wan-video", { output: {} }],
    ["wan-video", { code: "InvalidParameter", message: "no" }],
    ["seedance-video", { error: { code: "InvalidParameter" } }],
  ] as const)("%s without a task: %j", (wire, body) => {
    expect(failureOf(() => wires[wire].vendor.started(body)).code).toBe("upstream_error");
  });
});
