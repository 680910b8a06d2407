import type { Model } from "../api/types.ts";

/** Kinds of models that the playground can call. */
export const playgroundKinds = [
  "chat",
  "image",
  "speech",
  "transcription",
  "video",
  "realtime",
] as const satisfies readonly Model["kind"][];
export type PlaygroundKind = (typeof playgroundKinds)[number];
