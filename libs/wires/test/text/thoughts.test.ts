import { expect, test } from "vitest";
import { wires } from "../../src/text/wires.ts";

test.each<["chat" | "messages" | "responses" | "content", Record<string, unknown>, boolean]>([
  ["chat", { messages: [] }, false],
  ["chat", { reasoning_effort: "high" }, true],
  ["chat", { reasoning_effort: "none" }, false],
  ["chat", { enable_thinking: false }, false],
  ["chat", { thinking_budget: 100 }, true],
  ["responses", { reasoning: { effort: "low" } }, true],
  ["responses", { reasoning: { summary: "auto" } }, true],
  ["responses", { reasoning: null }, false],
  ["messages", { thinking: { type: "enabled", budget_tokens: 1_024 } }, true],
  ["messages", { thinking: { type: "disabled" } }, false],
  ["content", { generationConfig: { thinkingConfig: { includeThoughts: true } } }, true],
  ["content", { generation_config: { thinking_config: { thinkingBudget: 0 } } }, false],
  ["content", { contents: [] }, false],
])("%s: %j enables reasoning: %s", (wire, body, asks) => {
  expect(wires[wire].client.requestsReasoning(body)).toBe(asks);
});
