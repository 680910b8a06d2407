import type { Effort, ReasoningWish } from "./request.ts";

/** First budgets that are no longer the effort's; above the last it is `xhigh`. */
const ceilings = [
  ["none", 1],
  ["minimal", 1536],
  ["low", 6000],
  ["medium", 12_000],
  ["high", 24_000],
] as const satisfies readonly (readonly [Effort, number])[];

/** The effort that a wish comes to; undefined: as the model likes. */
export function effortOf({ effort, budgetTokens }: ReasoningWish): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined || budgetTokens < 0) return effort;
  return ceilings.find(([, ceiling]) => budgetTokens < ceiling)?.[0] ?? "xhigh";
}
