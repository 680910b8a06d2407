import type { Effort, ReasoningWish } from "./request.ts";

/** First version, as major and minor number, that refuses thinking budgets and all sampling parameters. */
const firstAdaptive = [4, 7] as const;

/** First version, as major and minor number, that accepts temperature or top_p, but not both. */
const firstVersionWithOneSampling = [4, 1] as const;

/** Returns true if a model, by its vendor name, refuses thinking budgets and all sampling parameters. */
export function takesAdaptiveOnly(model: string): boolean {
  return isFrom(model, firstAdaptive);
}

/** Returns true if a model refuses temperature and top_p together. */
export function takesOneSampling(model: string): boolean {
  return isFrom(model, firstVersionWithOneSampling);
}

/** Returns true if a Claude model has at least this version; the name has it before or after the family. */
function isFrom(model: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second ?? 0) >= minor);
}

/** Minimum thinking budget that models accept, in tokens. */
export const minBudget = 1024;

const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 32_768 } as const;

/** Returns the thinking budget in tokens: the client's, or that of its effort. */
export function thinkingBudget(
  { budgetTokens }: ReasoningWish,
  effort: Exclude<Effort, "none">,
  maxTokens: number,
): number {
  if (budgetTokens !== undefined && budgetTokens > 0) return Math.max(minBudget, budgetTokens);
  return effort === "max" ? Math.max(budgets.max, Math.floor(maxTokens * 0.8)) : budgets[effort];
}
