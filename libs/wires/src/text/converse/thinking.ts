import { minBudget, thinkingBudget, takesAdaptiveOnly } from "../hub/claude.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { hasUnsealedLoop, type Message } from "../hub/paired-messages.ts";
import { forcesTool } from "../hub/render.ts";
import { pairs } from "./turns.ts";
import { effortOf, type Effort, type JsonObject, type TextRequest } from "../hub/request.ts";

interface ConverseThinking {
  /** For `additionalModelRequestFields`: each family of models has members of its own. */
  readonly fields: JsonObject;
  /** For `inferenceConfig`; thoughts count as output. */
  readonly maxTokens: number | undefined;
  /** True if thoughts are requested of a model that then takes no other sampling. */
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
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): ConverseThinking {
  const { reasoning, maxTokens } = request;
  const off: ConverseThinking = { fields: {}, maxTokens, fixesSampling: false };
  if (reasoning === undefined) return off;
  const effort = effortOf(reasoning);
  const form = thinkingFormOf(target.model);
  if (effort === "none" || (effort === undefined && reasoning.budgetTokens === undefined)) return off;
  const bound = maxTokens ?? target.defaultMaxTokens;
  if (form === undefined || isRefused(form, request, messages) || (form === "claude-budget" && bound <= minBudget)) {
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

function isRefused(form: ThinkingForm, request: TextRequest, messages: readonly Message[]): boolean {
  if (!form.startsWith("claude")) return false;
  return forcesTool(request) || (form === "claude-budget" && hasUnsealedLoop(messages, pairs));
}

/** Form in which a request asks a model to think; undefined: it cannot. */
type ThinkingForm = "claude-budget" | "claude-adaptive" | "nova" | "effort";

/** Finds it. Names are `anthropic.claude-…`, with a region before them in profiles (`us.`) and a path in ARNs. */
function thinkingFormOf(model: string): ThinkingForm | undefined {
  if (isClaude(model)) return takesAdaptiveOnly(model) ? "claude-adaptive" : "claude-budget";
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model)) return "nova";
  return /openai\.gpt-oss/.test(model) ? "effort" : undefined;
}

/** Returns true if a model is one of Anthropic's. */
export function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/** Returns true if a model takes points of a cache; a profile's ARN does not say whose model it is, and may. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

/** Finds the place of `topK` in requests to a model; undefined: it has none. */
export function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
