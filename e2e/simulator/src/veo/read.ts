import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { demand, wrongField } from "../checks/refusal.ts";
import { anyText, base64, closed, filledText, flag, integer, list, oneOf, text } from "../checks/shape.ts";
import { sidesOf, type AskedVideo } from "../video/tasks.ts";

/** A picture is its bytes here; what the real vendor takes beside, a file of its own storage, no test needs. */
const image = closed({ bytesBase64Encoded: base64, mimeType: oneOf("image/png", "image/jpeg", "image/webp") });
const common = {
  sampleCount: integer(1, 4),
  durationSeconds: integer(4, 8),
  aspectRatio: oneOf("16:9", "9:16"),
  resolution: oneOf("720p", "1080p", "4k"),
  negativePrompt: anyText,
  personGeneration: oneOf("dont_allow", "allow_adult", "allow_all"),
};
const more = {
  seed: integer(0, 2 ** 32 - 1),
  enhancePrompt: flag,
  generateAudio: flag,
  resizeMode: oneOf("pad", "crop"),
  compressionQuality: oneOf("optimized", "lossless"),
  storageUri: text(/^gs:\/\//, "an address that begins with gs://"),
};
const shapeOf = (parameters: typeof common | (typeof common & typeof more)) =>
  closed(
    { instances: list(closed({}, { prompt: filledText, image, lastFrame: image }), { least: 1, most: 1 }) },
    { parameters: closed({}, parameters) },
  );
const shapes = { gemini: shapeOf(common), vertex: shapeOf({ ...common, ...more }) };
const lines: Readonly<Record<string, number>> = { "720p": 720, "1080p": 1080, "4k": 2160 };

/** Reads a request of `predictLongRunning`. Throws a Refusal. */
export function readVeo(body: unknown, model: string, at: keyof typeof shapes): AskedVideo {
  demand(body, shapes[at]);
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
    lines[textAt(parameters, "resolution") ?? "720p"] ?? 720,
    textAt(parameters, "aspectRatio") ?? "16:9",
  );
  return { model, prompt, seconds, ...sides };
}
