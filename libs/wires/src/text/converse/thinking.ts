import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { adaptiveModel } from "../hub/claude.ts";
import { renderClaudeThinking } from "../hub/claude-thinking.ts";
import type { TextTarget } from "../hub/wire.ts";
import { reasoningEffort, type Unsupported, type Effort, type TextRequest } from "../hub/request.ts";
import type { Message } from "../hub/paired-messages.ts";
import { converseBlocks } from "./turns.ts";

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

/** Renders reasoning, or reports it as lost. The gateway's default limit includes a thinking budget. */
export function renderThinking(
  request: TextRequest,
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): ConverseThinking {
  const { reasoning = {}, maxTokens } = request;
  const silent: ConverseThinking = { fields: {}, maxTokens, fixesSampling: false };
  if (isClaude(target.model)) {
    const bounded = { ...request, maxTokens: maxTokens ?? target.defaultMaxTokens };
    const claude = renderClaudeThinking(bounded, target, { messages, form: converseBlocks }, unsupported);
    const fields = withoutUndefined({
      thinking: claude.thinking,
      output_config: claude.effort === undefined ? undefined : { effort: claude.effort },
    });
    if (claude.on) return { fields, maxTokens: claude.maxTokens, fixesSampling: true };
    // Models with budgets reason only if asked to, and the oldest do not know the member.
    return adaptiveModel(target.model) === undefined ? silent : { ...silent, fields };
  }
  const effort = reasoningEffort(reasoning);
  if ((effort === undefined && reasoning.budgetTokens === undefined) || effort === "none") return silent;
  const level = nearestOfThreeEfforts[effort ?? "medium"];
  const fields = effortFields(target.model, level);
  unsupported.noteIf("reasoning", fields === undefined || level !== (effort ?? level));
  return { ...silent, fields: fields ?? {} };
}

/** Returns the members for an effort, which differ by family of models; undefined for models without reasoning. */
function effortFields(model: string, level: string): JsonRecord | undefined {
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model))
    return { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
  return /openai\.gpt-oss/.test(model) ? { reasoning_effort: level } : undefined;
}

export function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/** Returns true if a model accepts cache points; also for a profile's ARN, which does not name the model. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

export function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
