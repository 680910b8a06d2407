import { expect, test } from "vitest";
import {
  compilePrice,
  compileResolutions,
  costOf,
  priceAt,
  videoWires,
  type ClientVideoWire,
  type VideoWire,
} from "@modelgate/contracts";
import { wires, type VideoClient, type VideoVendor } from "@modelgate/wires/video";
import type { Candidate } from "@modelgate/catalog";
import { maxCost, measureVideo, renderVideo, unitsOf } from "../src/price-task.ts";

const usual = { second: 0.1, request: 0.05 };
const resolutions = { "1024p": { second: 0.5 }, "1080p": { second: 0.7, request: 0 } };
const model = { price: compilePrice(usual), resolutions: compileResolutions({ ...usual, resolutions }) };

/** Vendor of each wire, and a model name if its length or size depends on that. */
const vendors = {
  openai: ["videos", "sora-2"],
  compatible: ["video-generations", "m"],
  kling: ["kling-video", "m"],
  jimeng: ["jimeng-video", "m"],
  veo: ["veo-video", "veo-3.1-generate-preview"],
  vertex: ["vertex-video", "veo-3.1-generate-001"],
  wan: ["wan-video", "wan2.7-t2v"],
  "wan-former": ["wan-video", "wan2.6-t2v"],
  seedance: ["seedance-video", "doubao-seedance-1-0-pro-250528"],
} as const satisfies Readonly<Record<string, readonly [VideoWire, string]>>;

test.each<[what: string, clientWire: ClientVideoWire, vendor: keyof typeof vendors, body: object, nanos: bigint]>([
  ["no size", "videos", "openai", {}, 450_000_000n],
  ["the usual size", "videos", "openai", { size: "720x1280" }, 450_000_000n],
  ["a larger size", "videos", "openai", { size: "1024x1792" }, 2_050_000_000n],
  ["the landscape size", "video-generations", "openai", { duration: 4, width: 1_792, height: 1_024 }, 2_050_000_000n],
  ["the largest", "video-generations", "compatible", { duration: 2, width: 1_920, height: 1_080 }, 1_400_000_000n],
  [
    "a size above the largest",
    "video-generations",
    "compatible",
    { duration: 1, width: 3_840, height: 2_160 },
    700_000_000n,
  ],
  ["Kling's standard mode", "kling-video", "kling", { mode: "std" }, 550_000_000n],
  ["Kling's professional mode", "kling-video", "kling", { mode: "pro" }, 3_500_000_000n],
  ["Kling's mode from another wire", "video-generations", "kling", { metadata: { mode: "pro" } }, 3_500_000_000n],
  // A vendor that receives only an aspect ratio uses its model's resolution.
  ["a size that is only an aspect ratio", "video-generations", "jimeng", { width: 1_920, height: 1_080 }, 550_000_000n],
  ["Veo's default", "video-generations", "veo", {}, 850_000_000n],
  ["Veo in 1080p", "video-generations", "veo", { duration: 8, width: 1_920, height: 1_080 }, 5_600_000_000n],
  ["Veo at Vertex in 1080p", "videos", "vertex", { seconds: "8", size: "1080x1920" }, 5_600_000_000n],
  ["Wan in 1080p", "video-generations", "wan", { duration: 3, size: "1920x1080" }, 2_100_000_000n],
  [
    "an older Wan model's larger size",
    "video-generations",
    "wan-former",
    { duration: 3, size: "1632x1248" },
    2_100_000_000n,
  ],
  ["Seedance in 720p", "video-generations", "seedance", { duration: 4, size: "1280x720" }, 450_000_000n],
  ["Seedance in 1080p", "video-generations", "seedance", { duration: 4, size: "1920x1080" }, 2_800_000_000n],
])("%s is charged at its price: %s at %s %j", (_, clientWire, at, body, nanos) => {
  const { client }: { readonly client: VideoClient } = wires[clientWire];
  const [wire, upstream] = vendors[at];
  const { vendor }: { readonly vendor: VideoVendor } = wires[wire];
  const { request, dropped } = client.read({ model: "film", model_name: "film", prompt: "A boat", ...body }, {});
  const measure = measureVideo({ clientWire, client, request, dropped }, vendor.render(request, { model: upstream }));
  expect(costOf(unitsOf(request, measure), priceAt(model, measure.lines), 1)).toBe(nanos);
});

/** Returns a candidate at a vendor that has another name for the model. */
function candidateAt(provider: string, baseUrl: string, upstreamModel: string): Candidate {
  const channel = { id: "c", provider, baseUrl, keys: [], models: new Map(), priority: 0, weight: 1, timeoutMs: 1_000 };
  return { channel, upstreamModel };
}

const bucket = candidateAt(
  "vertex",
  "https://vertex.example/v1/projects/p/locations/us-central1",
  "veo-2.0-generate-001",
);
const wanFormer = candidateAt("qwen", "https://dashscope.example/api/v1", "wan2.6-t2v");
const sora = candidateAt("openai", "https://openai.example/v1", "sora-2");

function heldFor(candidates: readonly Candidate[], body: object) {
  const { client }: { readonly client: VideoClient } = wires["video-generations"];
  const { request, dropped } = client.read({ model: "film", prompt: "A boat", ...body }, {});
  const serving = { model: { name: "film", kind: "video", ownedBy: "", ...model }, multiplier: 1 } as const;
  return maxCost(
    { clientWire: "video-generations", client, request, dropped },
    { candidates, wires: ["video-generations", ...videoWires.filter((wire) => wire !== "video-generations")] },
    { ...serving, unpriced: "drop", requested: undefined },
  );
}

test.each<[string, readonly Candidate[], object, bigint]>([
  ["a length of the vendor's model only", [bucket], { duration: 5 }, 550_000_000n],
  ["a size in the protocol of the vendor's model", [wanFormer], { duration: 3, size: "1632x1248" }, 2_100_000_000n],
  ["a length that one of two vendors supports", [sora, bucket], { duration: 5 }, 550_000_000n],
  ["the most expensive of two vendors", [bucket, wanFormer], { duration: 5, size: "1280x720" }, 550_000_000n],
  ["no vendor", [], { duration: 5 }, 0n],
])("%s: the hold covers its price", (_, candidates, body, nanos) => {
  expect(heldFor(candidates, body)).toBe(nanos);
});

test("a request that no vendor supports is refused with the client's name of the field, and nothing is held", () => {
  expect(() => heldFor([bucket, wanFormer], { duration: 1 })).toThrow(
    expect.objectContaining({ code: "unsupported_parameter", param: "duration" }),
  );
});

test.each<[ClientVideoWire, VideoWire, object, string]>([
  ["kling-video", "kling-video", { sound: "on" }, "sound"],
  ["kling-video", "kling-video", { sound: true }, "sound"],
  ["kling-video", "kling-video", { metadata: { sound: "on" } }, "metadata.sound"],
  ["video-generations", "kling-video", { metadata: { sound: "on" } }, "metadata.sound"],
  ["video-generations", "vertex-video", { metadata: { generateAudio: true } }, "metadata.generateAudio"],
])(
  "%s: sound in %s has no price, so %j is refused unless the group permits unpriced use",
  (clientWire, wire, body, param) => {
    const { client }: { readonly client: VideoClient } = wires[clientWire];
    const { request, dropped } = client.read({ model: "film", prompt: "A boat", ...body }, {});
    const rendered = (unpriced: "drop" | "refuse" | "pass") =>
      renderVideo({ client, request, dropped }, { wire, model: "m", refusesUnsupported: false, unpriced });
    const refused = expect.objectContaining({ code: "unsupported_parameter", param });
    expect(() => rendered("drop")).toThrow(refused);
    expect(() => rendered("refuse")).toThrow(refused);
    expect(rendered("pass").dropped).toEqual([]);
  },
);

test("a video without sound is accepted", () => {
  const { client } = wires["kling-video"];
  const { request, dropped } = client.read({ model: "film", prompt: "A boat", sound: "off" });
  const target = { wire: "kling-video", model: "m", refusesUnsupported: false, unpriced: "drop" } as const;
  expect(renderVideo({ client, request, dropped }, target).body).toHaveProperty("sound", "off");
});
