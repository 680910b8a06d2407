import { adaptiveModel, minBudget, thinkingBudget } from "../hub/claude.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { hasUnsealedLoop, type Message } from "../hub/paired-messages.ts";
import { forcesTool } from "../hub/render.ts";
import { pairs } from "./turns.ts";
import { effortOf, type Effort, type JsonObject, type TextRequest } from "../hub/request.ts";

interface ConverseThinking {
  /** Members for `additionalModelRequestFields`, which differ by family of models. */
  readonly fields: JsonObject;
  /** Output limit for `inferenceConfig`; reasoning counts as output. */
  readonly maxTokens: number | undefined;
  /** True if the requested reasoning excludes other sampling parameters. */
  readonly fixesSampling: boolean;
}

/** Efforts of models that know three of them. */
const threeEfforts = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const satisfies Record<Exclude<Effort, "none">, string>;

/**
 * Renders the requested reasoning. It is dropped and reported as lost for models without it, and where the vendor
 * refuses it with other fields: a forced tool, a running tool loop whose turns do not begin with signed reasoning, an
 * output limit with no room for the minimum budget.
 */
export function renderThinking(
  request: TextRequest,
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): ConverseThinking {
  const { reasoning, maxTokens } = request;
  const silent: ConverseThinking = { fields: {}, maxTokens, fixesSampling: false };
  if (reasoning === undefined) return silent;
  const effort = effortOf(reasoning);
  const form = thinkingFormOf(target.model);
  if (effort === undefined && reasoning.budgetTokens === undefined) return silent;
  const { thinks } = (form === "claude-adaptive" ? adaptiveModel(target.model) : undefined) ?? {};
  const off = thinks === "unless-disabled" ? { ...silent, fields: { thinking: { type: "disabled" } } } : silent;
  if (effort === "none") {
    unsupported.noteIf("reasoning", thinks === "always");
    return off;
  }
  const bound = maxTokens ?? target.defaultMaxTokens;
  if (
    form === undefined ||
    isRefused(form, request, messages, thinks === "always") ||
    (form === "claude-budget" && bound <= minBudget)
  ) {
    unsupported.note("reasoning");
    return off;
  }
  const word = effort ?? "medium";
  if (form === "effort") return { ...silent, fields: { reasoning_effort: threeEfforts[word] } };
  if (form === "nova")
    return { ...silent, fields: { reasoningConfig: { type: "enabled", maxReasoningEffort: threeEfforts[word] } } };
  if (form === "claude-adaptive")
    return { fields: { thinking: { type: "adaptive" } }, maxTokens: bound, fixesSampling: true };
  const budget = Math.min(thinkingBudget(reasoning, word, bound), bound - 1);
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, maxTokens: bound, fixesSampling: true };
}

function isRefused(
  form: ThinkingForm,
  request: TextRequest,
  messages: readonly Message[],
  alwaysThinks: boolean,
): boolean {
  if (!form.startsWith("claude")) return false;
  return (forcesTool(request) && !alwaysThinks) || (form === "claude-budget" && hasUnsealedLoop(messages, pairs));
}

/** Form in which a request asks a model to think. */
type ThinkingForm = "claude-budget" | "claude-adaptive" | "nova" | "effort";

/** Returns a model's form, from `anthropic.claude-…` with a region (`us.`) or an ARN's path; undefined: no thinking. */
function thinkingFormOf(model: string): ThinkingForm | undefined {
  if (isClaude(model)) return adaptiveModel(model) !== undefined ? "claude-adaptive" : "claude-budget";
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model)) return "nova";
  return /openai\.gpt-oss/.test(model) ? "effort" : undefined;
}

/** Returns true if a model is one of Anthropic's. */
export function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/** Returns true if a model accepts cache points; true for a profile's ARN, which does not tell its model. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

/** Returns the member for `topK` in requests to a model; undefined: it has none. */
export function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
