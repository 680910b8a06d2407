/** A format that a vendor's endpoint speaks. The text wires come first; the others are one endpoint each. */
export const upstreamWires = [
  "chat",
  "responses",
  "messages",
  "content",
  "completions",
  "compact",
  "count-messages",
  "count-content",
  "embeddings",
  "content-embeddings",
  "moderations",
  "jina-rerank",
  "cohere-rerank",
  "realtime",
  "gemini-live",
] as const;
export type UpstreamWire = (typeof upstreamWires)[number];
