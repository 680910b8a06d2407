import type { Effort, ReasoningWish } from "./request.ts";

/** The least budget that models with budgets take, in tokens. */
export const leastBudget = 1024;

const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 32_768 } as const;

/** Tokens for thoughts where a model is given a budget: the client's own, or what an effort comes to. */
export function thinkingBudget(
  { budgetTokens }: ReasoningWish,
  effort: Exclude<Effort, "none">,
  maxTokens: number,
): number {
  if (budgetTokens !== undefined && budgetTokens > 0) return Math.max(leastBudget, budgetTokens);
  return effort === "max" ? Math.max(budgets.max, Math.floor(maxTokens * 0.8)) : budgets[effort];
}
