import { expect, test } from "vitest";
import { asksForThoughts } from "../src/asks-for-thoughts.ts";

test.each<[unknown, boolean]>([
  [{ messages: [] }, false],
  [{ reasoning_effort: "high" }, true],
  [{ reasoning_effort: "none" }, false],
  [{ reasoning: { effort: "low" } }, true],
  [{ reasoning: { summary: "auto" } }, true],
  [{ reasoning: null }, false],
  [{ thinking: { type: "enabled", budget_tokens: 1_024 } }, true],
  [{ thinking: { type: "disabled" } }, false],
  [{ enable_thinking: false }, false],
  [{ generationConfig: { thinkingConfig: { includeThoughts: true } } }, true],
  [{ generation_config: { thinking_config: { thinkingBudget: 0 } } }, false],
  ["text", false],
])("%j asks for thoughts: %s", (body, asks) => {
  expect(asksForThoughts(body)).toBe(asks);
});
