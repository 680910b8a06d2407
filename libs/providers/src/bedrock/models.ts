import type { UpstreamWire } from "@modelgate/contracts";

/** Which wires a model is served in, by its name: `anthropic.claude-…`, a profile (`us.…`) or the ARN of either. */
const families: readonly (readonly [RegExp, readonly UpstreamWire[]])[] = [
  // In its own format nothing is lost between Claude and clients of the messages wire.
  [/(?:^|[./])anthropic\./, ["messages", "converse"]],
  [/(?:^|[./])(?:cohere|amazon)\.rerank/, ["cohere-rerank"]],
  [/(?:^|[./])cohere\.embed/, ["cohere-embeddings"]],
  [/(?:^|[./])amazon\.titan-embed-(?:text|g1)/, ["titan-embeddings"]],
];

/** All others, and profiles whose ARN does not say whose model it is, converse. */
const usual: readonly UpstreamWire[] = ["converse"];

export function wiresOfModel(model: string): readonly UpstreamWire[] {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? usual;
}
