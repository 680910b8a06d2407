import type { WholeWire } from "../kind/index.ts";
import type { ModerationAnswer } from "./hub/answer.ts";
import type { ModerationRequest } from "./hub/request.ts";
import { moderations } from "./moderations/index.ts";

export { bytesOfInstructions, parseJudgement, renderJudgementRequest } from "./by-chat/index.ts";
export type { ModerationAnswer } from "./hub/answer.ts";
export { sizeOf, type ModerationRequest } from "./hub/request.ts";

/** The wires of moderation: one line each. */
export const wires = { moderations } as const satisfies Readonly<
  Record<string, WholeWire<ModerationRequest, ModerationAnswer>>
>;
