// Wires of moderation, and moderation by a chat model.
export { parseJudgement } from "./by-chat/parse-answer.ts";
export { bytesOfInstructions, renderJudgementRequest } from "./by-chat/render-request.ts";
export type { ModerationRequest } from "./hub/request.ts";
export { askOfModerations, reliedOfModerations } from "./moderations/ask.ts";
export { moderationsCodec } from "./moderations/index.ts";
