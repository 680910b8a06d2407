import { takesAdaptiveOnly } from "../hub/claude-generations.ts";

/** How a model is asked to think, by its vendor's name of it; undefined: there is no word for it. */
export type ThinkingForm = "claude-budget" | "claude-adaptive" | "nova" | "effort";

/** Finds it. Names are `anthropic.claude-…`, with a region before them in profiles (`us.`) and a path in ARNs. */
export function thinkingFormOf(model: string): ThinkingForm | undefined {
  if (isClaude(model)) return takesAdaptiveOnly(model) ? "claude-adaptive" : "claude-budget";
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model)) return "nova";
  return /openai\.gpt-oss/.test(model) ? "effort" : undefined;
}

/** Whether a model is one of Anthropic's. */
export function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/** Whether a model takes points of a cache; a profile's ARN does not say whose model it is, and may. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

/** Where a model reads how many of the likeliest tokens it may choose among; undefined: nowhere. */
export function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
