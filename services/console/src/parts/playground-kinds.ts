/** Kinds of calls in the playground. */
export const playgroundKinds = ["chat", "image", "speech", "transcription", "video", "realtime"] as const;
export type PlaygroundKind = (typeof playgroundKinds)[number];
