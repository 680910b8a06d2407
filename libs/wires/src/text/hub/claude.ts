import type { Effort, ReasoningWish } from "./request.ts";

/** First version, as major and minor number, that refuses thinking budgets and all sampling parameters. */
const firstAdaptive = [4, 7] as const;

/** The first generation that takes one of temperature and top_p, not both. */
const firstWithOneSampling = [4, 1] as const;

/** Returns true if a model, by the vendor's name of it, refuses thinking budgets and every sampling parameter. */
export function takesAdaptiveOnly(model: string): boolean {
  return isFrom(model, firstAdaptive);
}

/** Returns true if a model refuses temperature and top_p together. */
export function takesOneSampling(model: string): boolean {
  return isFrom(model, firstWithOneSampling);
}

/** Names have the generation after the family or before it, and a date behind; other vendors' names have none. */
function isFrom(model: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second ?? 0) >= minor);
}

/** Minimum thinking budget that models accept, in tokens. */
export const minBudget = 1024;

const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 32_768 } as const;

/** Tokens for thoughts where a model is given a budget: the client's own, or what an effort comes to. */
export function thinkingBudget(
  { budgetTokens }: ReasoningWish,
  effort: Exclude<Effort, "none">,
  maxTokens: number,
): number {
  if (budgetTokens !== undefined && budgetTokens > 0) return Math.max(minBudget, budgetTokens);
  return effort === "max" ? Math.max(budgets.max, Math.floor(maxTokens * 0.8)) : budgets[effort];
}
