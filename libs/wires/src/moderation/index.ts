import type { UnstreamedWire } from "../kind/index.ts";
import type { ModerationAnswer, ModerationRequest } from "./hub/index.ts";
import { moderations } from "./moderations/index.ts";

export { instructionBytes, parseJudgement, renderJudgementRequest } from "./by-chat/index.ts";
export { measureInput, type ModerationAnswer, type ModerationRequest } from "./hub/index.ts";

export { defaultModerationModel } from "./moderations/index.ts";

export const wires = { moderations } as const satisfies Readonly<
  Record<string, UnstreamedWire<ModerationRequest, ModerationAnswer>>
>;
