import { Failure, withoutUndefined } from "@modelgate/contracts";
import { asRecord, isRecord, type JsonRecord } from "@modelgate/formats/json";
import {
  additionalVideoMembers,
  dataOf,
  namesOfSetFields,
  droppedRate,
  refuseLastFrameAlone,
  secondsAmong,
} from "../hub/request.ts";
import type { VideoImage } from "../hub/request.ts";
import { linesIn, fitShape } from "../hub/size.ts";
import { failedTask, unknownResult } from "../hub/task.ts";
import type { VideoClient, RenderedVideo, PollResult, VideoResult, VideoVendor } from "../hub/task.ts";
import type { Wire } from "../../wire.ts";

const defaultSeconds = 8;

const videoMember = "bytesBase64Encoded";

/** Veo at the Gemini API (https://ai.google.dev/gemini-api/docs/video). Downloads of videos need the key. */
export const veo = {
  name: "veo-video",
  vendor: {
    defaultSeconds,
    render: rendererFor(false, ["personGeneration"]),
    started: parseStarted,
    parse: pollParser(videosOfGemini),
    needsBytes: true,
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

/**
 * Veo at Vertex AI (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation).
 * Its videos are in the answer, or in a bucket of Google Cloud Storage.
 */
export const vertex = {
  name: "vertex-video",
  vendor: {
    defaultSeconds,
    render: rendererFor(true, [
      "personGeneration",
      "enhancePrompt",
      "generateAudio",
      "resizeMode",
      "compressionQuality",
    ]),
    started: parseStarted,
    parse: pollParser(videosOfVertex),
    needsBytes: true,
    videoMember,
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

/** Time for which the Gemini API keeps a video, in ms. */
const resultLifetimeMs = 2 * 86_400_000;
/** Matches `models/…/operations/…` and `projects/…/operations/…`. */
const operation = /^(?:(?!\.+\/)[\w.@:-]{1,200}\/){0,10}operations\/[\w-]{1,200}$/;

function parseStarted({ name }: JsonRecord): string {
  if (typeof name === "string" && operation.test(name)) return name;
  throw new Failure("upstream_error", "The vendor's answer does not name an operation.");
}

interface FoundVideo {
  readonly response: JsonRecord;
  readonly result?: VideoResult | undefined;
}

function pollParser(videosOf: (response: JsonRecord) => FoundVideo): (body: JsonRecord) => PollResult {
  return ({ name, done, error, response }) => {
    if (typeof name !== "string") return unknownResult;
    if (isRecord(error)) return failedTask(error["status"] ?? error["code"], error["message"]);
    if (done !== true) return { kind: "pending", state: "in_progress" };
    const videos = videosOf(asRecord(response));
    if (videos.result !== undefined) return { kind: "finished", result: videos.result };
    return failureWithoutVideo(videos.response);
  };
}

function videosOfGemini({ generateVideoResponse }: JsonRecord): FoundVideo {
  const response = asRecord(generateVideoResponse);
  const sample = firstOf(response["generatedSamples"]);
  const { uri } = asRecord(sample["video"]);
  return { response, result: typeof uri === "string" ? { url: uri, keptMs: resultLifetimeMs } : undefined };
}

function videosOfVertex(response: JsonRecord): FoundVideo {
  const { gcsUri, [videoMember]: bytes } = firstOf(response["videos"]);
  if (typeof gcsUri === "string") return { response, result: { url: gcsUri } };
  return { response, result: typeof bytes === "string" ? {} : undefined };
}

function firstOf(list: unknown): JsonRecord {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return asRecord(first);
}

/**
 * Returns the failure of an operation without a video. If safety filters removed the video, the operation reports no
 * error.
 */
function failureWithoutVideo({
  raiMediaFilteredCount: count,
  raiMediaFilteredReasons: reasons,
}: JsonRecord): PollResult {
  const reasonTexts = Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === "string") : [];
  if (reasonTexts.length === 0 && typeof count !== "number")
    return failedTask(undefined, "The vendor finished the operation without a video.");
  return failedTask("rai_media_filtered", reasonTexts.join(" ") || "The vendor's safety filters withheld the video.");
}

/** Video lengths in seconds: of current models, and of the second generation. */
const [lengths, formerLengths] = [
  [4, 6, 8],
  [5, 6, 7, 8],
];
const formerModels = /veo-2/;
const ratios = ["16:9", "9:16"];
const resolutionNames = { 720: "720p", 1080: "1080p", 2160: "4k" };

function rendererFor(acceptsSeed: boolean, supported: readonly string[]): VideoVendor["render"] {
  return (request, { model }): RenderedVideo => {
    refuseLastFrameAlone(request);
    const additional = additionalVideoMembers(request, "veo-video", supported);
    const seconds = secondsAmong(formerModels.test(model) ? formerLengths : lengths, request.seconds ?? defaultSeconds);
    const shape = fitShape(request, ratios, resolutionNames);
    const instance = withoutUndefined({
      prompt: request.prompt,
      image: imageOf(request.firstFrame, "firstFrame"),
      lastFrame: imageOf(request.lastFrame, "lastFrame"),
    });
    // Models with sound need this member at Vertex. A video with sound has no price.
    const isSilent = supported.includes("generateAudio") && !formerModels.test(model);
    const sound = additional.members["generateAudio"] ?? (isSilent ? false : undefined);
    const parameters = withoutUndefined({
      ...additional.members,
      generateAudio: sound,
      sampleCount: 1,
      durationSeconds: seconds,
      aspectRatio: shape.ratio,
      resolution: shape.resolution,
      negativePrompt: request.negativePrompt,
      seed: acceptsSeed ? request.seed : undefined,
    });
    return {
      body: { instances: [instance], parameters },
      dropped: [
        ...additional.dropped,
        ...shape.dropped,
        ...(acceptsSeed ? [] : namesOfSetFields(request, ["seed"])),
        ...droppedRate(request),
      ],
      seconds,
      lines: linesIn(parameters),
      unpriced: (sound ?? false) === false ? undefined : "extras.generateAudio",
    };
  };
}

function imageOf(image: VideoImage | undefined, param: string): object | undefined {
  if (image === undefined) return undefined;
  const { mediaType, data } = dataOf(image, param);
  return { bytesBase64Encoded: data, mimeType: mediaType };
}
