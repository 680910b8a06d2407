import { isRecord } from "../../json/fields.ts";
import type { Target } from "../hub/codec.ts";
import { effortOf } from "../hub/effort.ts";
import type { Message } from "../hub/paired-messages.ts";
import type { Effort, JsonObject, TextRequest } from "../hub/request.ts";
import { leastBudget, thinkingBudget } from "../hub/thinking-budget.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import { thinkingFormOf, type ThinkingForm } from "./models.ts";

/** How a request thinks. */
export interface RenderedThinking {
  /** For `additionalModelRequestFields`: each family of models has members of its own. */
  readonly fields: JsonObject;
  /** For `inferenceConfig`; thoughts count as output. */
  readonly maxTokens: number | undefined;
  /** Whether thoughts are asked for of a model that then takes no other sampling. */
  readonly fixesSampling: boolean;
}

/** The words of models that know three efforts. */
const threeEfforts = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const satisfies Record<Exclude<Effort, "none">, string>;

/**
 * The wish for thoughts. It is given up, and noted as lost, for models that have no word for it, and where the vendor
 * refuses it together with the rest: a forced tool, a running tool loop whose turns do not begin with sealed thoughts, a
 * bound of output that leaves no room for the least budget.
 */
export function renderThinking(
  request: TextRequest,
  target: Target,
  messages: readonly Message[],
  unsupported: Unsupported,
): RenderedThinking {
  const { reasoning, maxTokens } = request;
  const off: RenderedThinking = { fields: {}, maxTokens, fixesSampling: false };
  if (reasoning === undefined) return off;
  const effort = effortOf(reasoning);
  const form = thinkingFormOf(target.model);
  if (effort === "none" || (effort === undefined && reasoning.budgetTokens === undefined)) return off;
  const bound = maxTokens ?? target.defaultMaxTokens;
  if (form === undefined || isRefused(form, request, messages) || (form === "claude-budget" && bound <= leastBudget)) {
    unsupported.note("reasoning");
    return off;
  }
  const word = effort ?? "medium";
  if (form === "effort") return { ...off, fields: { reasoning_effort: threeEfforts[word] } };
  if (form === "nova")
    return { ...off, fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: threeEfforts[word] } } };
  if (form === "claude-adaptive")
    return { fields: { thinking: { type: "adaptive" } }, maxTokens: bound, fixesSampling: true };
  const budget = Math.min(thinkingBudget(reasoning, word, bound), bound - 1);
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, maxTokens: bound, fixesSampling: true };
}

function isRefused(form: ThinkingForm, { toolChoice, tools = [] }: TextRequest, messages: readonly Message[]): boolean {
  if (!form.startsWith("claude")) return false;
  if (toolChoice?.mode === "required" && tools.length > 0) return true;
  return form === "claude-budget" && hasUnsealedLoop(messages);
}

/** From the end back to the user's last own words: a call in a turn that does not begin with sealed thoughts. */
function hasUnsealedLoop(messages: readonly Message[]): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (role === "user" && !content.some(({ toolResult }) => isRecord(toolResult))) return false;
    const thinks = isRecord(content[0]?.["reasoningContent"]);
    if (role === "assistant" && content.some(({ toolUse }) => isRecord(toolUse)) && !thinks) return true;
  }
  return false;
}
