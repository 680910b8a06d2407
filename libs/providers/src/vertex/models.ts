import type { UpstreamWire } from "@modelgate/contracts";

/** Which wires a model is served in, by its name. */
const families: readonly (readonly [RegExp, readonly UpstreamWire[]])[] = [
  [/^claude-/, ["messages", "count-messages"]],
  [/^imagen-/, ["vertex-imagen"]],
  [/^veo-/, ["vertex-video"]],
  [/-tts(?:-|$)/, ["content-speech"]],
  [/embedding/, ["predict-embeddings"]],
  // Models of other publishers, by the publisher's name: `meta/llama-…`.
  [/^[\w-]+\//, ["chat"]],
];

/** Google's own. */
const usual: readonly UpstreamWire[] = ["content", "count-content", "content-transcripts", "gemini-live"];

export function wiresOfModel(model: string): readonly UpstreamWire[] {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? usual;
}
