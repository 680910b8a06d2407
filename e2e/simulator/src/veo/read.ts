import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, wrongField } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import { sidesOf, type VideoRequest } from "../video/tasks.ts";

const shapes = new Shapes(String.raw`
  // A picture is given by its bytes. The real vendor also accepts files in its storage, which no test needs.
  Image = { bytesBase64Encoded: base64, mimeType: "image/png" | "image/jpeg" | "image/webp" };
  Instances = { instances: { prompt?: filled, image?: Image, lastFrame?: Image }[1..1] };
  Parameters = {
    sampleCount?: integer(1, 4), durationSeconds?: integer(4, 8), aspectRatio?: "16:9" | "9:16",
    resolution?: "720p" | "1080p" | "4k", negativePrompt?: string,
    personGeneration?: "dont_allow" | "allow_adult" | "allow_all"
  };
  gemini = { ...Instances, parameters?: Parameters };
  vertex = {
    ...Instances,
    parameters?: {
      ...Parameters, seed?: integer(0, 4294967295), enhancePrompt?: boolean, generateAudio?: boolean,
      resizeMode?: "pad" | "crop", compressionQuality?: "optimized" | "lossless",
      storageUri?: /^gs:\/\// "an address that begins with gs://"
    }
  };
`);
const shortSides: Readonly<Record<string, number>> = { "720p": 720, "1080p": 1080, "4k": 2160 };

/** Reads a `predictLongRunning` request. Throws a Refusal if it is invalid. */
export function readVeo(body: unknown, model: string, at: "gemini" | "vertex"): VideoRequest {
  requireShape(body, shapes.of(at));
  const [instance] = listAt(body, "instances");
  const parameters = memberOf(body, "parameters");
  const prompt = textAt(instance, "prompt") ?? "";
  if (prompt === "" && memberOf(instance, "image") === undefined)
    throw wrongField(["instances", 0], "A prompt or an image is required.");
  if (memberOf(instance, "lastFrame") !== undefined && memberOf(instance, "image") === undefined)
    throw wrongField(["instances", 0, "lastFrame"], "A last frame needs a first one.");
  const seconds = numberAt(parameters, "durationSeconds") ?? 8;
  if (!model.includes("veo-2") && ![4, 6, 8].includes(seconds))
    throw wrongField(["parameters", "durationSeconds"], "durationSeconds must be 4, 6 or 8.");
  const sides = sidesOf(
    shortSides[textAt(parameters, "resolution") ?? "720p"] ?? 720,
    textAt(parameters, "aspectRatio") ?? "16:9",
  );
  return { model, prompt, seconds, ...sides };
}
