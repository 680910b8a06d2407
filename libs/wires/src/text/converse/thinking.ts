import type { JsonRecord } from "../../json/fields.ts";
import { adaptiveModel, minBudget, thinkingBudget, type AdaptiveModel } from "../hub/claude.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { hasUnsignedLoop, type Message } from "../hub/paired-messages.ts";
import { forcesTool } from "../hub/render.ts";
import { converseBlocks } from "./turns.ts";
import { reasoningEffort, type Effort, type ReasoningOptions, type TextRequest } from "../hub/request.ts";

interface ConverseThinking {
  /** Members for `additionalModelRequestFields`, which differ by family of models. */
  readonly fields: JsonRecord;
  /** Output limit for `inferenceConfig`; reasoning counts as output. */
  readonly maxTokens: number | undefined;
  /** True if the requested reasoning excludes sampling parameters. */
  readonly fixesSampling: boolean;
}

/** Efforts of models that support only three, by the neutral efforts. */
const nearestOfThreeEfforts = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const satisfies Record<Exclude<Effort, "none">, string>;

/**
 * Renders the requested reasoning. It is dropped and reported as lost for a model without reasoning, and where the
 * vendor would refuse it: with a forced tool, in a tool loop whose turns do not begin with signed reasoning, or with an
 * output limit that leaves no room for the minimum budget.
 */
export function renderThinking(
  request: TextRequest,
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): ConverseThinking {
  const { reasoning, maxTokens } = request;
  const silent: ConverseThinking = { fields: {}, maxTokens, fixesSampling: false };
  const effort = reasoningEffort(reasoning ?? {});
  if (reasoning === undefined || (effort === undefined && reasoning.budgetTokens === undefined)) return silent;
  const form = thinkingFormOf(target.model);
  const thinks = thinkingMode(form, target.model);
  const off = thinks === "unless-disabled" ? { ...silent, fields: { thinking: { type: "disabled" } } } : silent;
  if (effort === "none") {
    unsupported.noteIf("reasoning", thinks === "always");
    return off;
  }
  const bound = maxTokens ?? target.defaultMaxTokens;
  const forced = thinks !== "always" && forcesTool(request);
  if (form === undefined || isThinkingRefused(form, forced, bound, messages)) {
    unsupported.note("reasoning");
    return off;
  }
  const level = effort ?? "medium";
  if (form === "effort" || form === "nova") return { ...silent, fields: effortFields(form, level) };
  return { fields: { thinking: claudeThinking(form, reasoning, level, bound) }, maxTokens: bound, fixesSampling: true };
}

function thinkingMode(form: ThinkingForm | undefined, model: string): AdaptiveModel["thinks"] | undefined {
  return form === "claude-adaptive" ? adaptiveModel(model)?.thinks : undefined;
}

function claudeThinking(
  form: ThinkingForm,
  reasoning: ReasoningOptions,
  effort: Exclude<Effort, "none">,
  bound: number,
): JsonRecord {
  if (form === "claude-adaptive") return { type: "adaptive" };
  return { type: "enabled", budget_tokens: Math.min(thinkingBudget(reasoning, effort, bound), bound - 1) };
}

function effortFields(form: "effort" | "nova", effort: Exclude<Effort, "none">): JsonRecord {
  const level = nearestOfThreeEfforts[effort];
  return form === "effort"
    ? { reasoning_effort: level }
    : { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
}

function isThinkingRefused(form: ThinkingForm, forced: boolean, bound: number, messages: readonly Message[]): boolean {
  if (form === "claude-budget") return forced || bound <= minBudget || hasUnsignedLoop(messages, converseBlocks);
  return form === "claude-adaptive" && forced;
}

/** Form in which a request asks a model to think. */
type ThinkingForm = "claude-budget" | "claude-adaptive" | "nova" | "effort";

/** Returns a model's form by its name, which may follow a region (`us.`) or an ARN's path; undefined: no reasoning. */
function thinkingFormOf(model: string): ThinkingForm | undefined {
  if (isClaude(model)) return adaptiveModel(model) !== undefined ? "claude-adaptive" : "claude-budget";
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model)) return "nova";
  return /openai\.gpt-oss/.test(model) ? "effort" : undefined;
}

/** Returns true if a model is one of Anthropic's. */
export function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/** Returns true if a model accepts cache points; also for a profile's ARN, which does not name the model. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

/** Returns the member in which a model reads `topK`; undefined if it does not support it. */
export function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
