import { expect, test } from "vitest";
import {
  compilePrice,
  compileResolutions,
  costOf,
  priceAt,
  type VideoStyle,
  type VideoWire,
} from "@modelgate/contracts";
import { wires, type VideoClient, type VideoVendor } from "@modelgate/wires/video";
import { measured, unitsOf } from "../src/price-task.ts";

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

test.each<[what: string, style: VideoStyle, vendor: keyof typeof vendors, body: object, nanos: bigint]>([
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
  ["Kling's mode from another style", "video-generations", "kling", { metadata: { mode: "pro" } }, 3_500_000_000n],
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
])("%s is charged at its price: %s at %s %j", (_, style, at, body, nanos) => {
  const { client }: { readonly client: VideoClient } = wires[style];
  const [wire, upstream] = vendors[at];
  const { vendor }: { readonly vendor: VideoVendor } = wires[wire];
  const { request, dropped } = client.read({ model: "film", model_name: "film", prompt: "A boat", ...body }, {});
  const measure = measured({ style, client, request, dropped }, vendor.render(request, { model: upstream }));
  expect(costOf(unitsOf(request, measure), priceAt(model, measure.lines), 1)).toBe(nanos);
});
