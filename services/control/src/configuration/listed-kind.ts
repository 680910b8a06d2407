import { wiresOfKind, type ModelKind, type UpstreamWire } from "@modelgate/contracts";

/** Patterns of model names by kind. The first match is used; other models are chat models. */
const kinds: readonly (readonly [ModelKind, RegExp])[] = [
  ["embedding", /embed|(?:^|[/-])(?:bge|gte|e5)-/i],
  ["rerank", /rerank/i],
  ["moderation", /moderation/i],
  ["transcription", /whisper|transcri|(?:^|[/-])asr|^scribe/i],
  ["speech", /(?:^|[/-])tts|tts(?:$|-)|speech|orpheus/i],
  ["realtime", /realtime|-live/i],
  ["video", /(?:^|\/)(?:sora|veo|kling|wan\d)|video/i],
  ["completion", /turbo-instruct|davinci|babbage/i],
  ["image", /dall-e|gpt-image|(?:^|[/-])flux|imagen|stable-diffusion|seedream|-image(?:$|-)/i],
];

/** Returns the kind of a listed model, judged by its name; undefined if none of the `supported` wires can serve it. */
export function kindOfListed(name: string, supported?: readonly UpstreamWire[]): ModelKind | undefined {
  const kind = kinds.find(([, words]) => words.test(name))?.[0] ?? "chat";
  return supported === undefined || wiresOfKind[kind].some((wire) => supported.includes(wire)) ? kind : undefined;
}
