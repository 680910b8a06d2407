import { reasoningEffort, type Unsupported, type TextRequest, type Effort, type ReasoningOptions } from "./request.ts";
import { forcesTool } from "./render.ts";
import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { hasCallWithoutReasoning, type Message, type MessageBlocks } from "./paired-messages.ts";
import type { TextTarget } from "./wire.ts";

/** Rules of a Claude model that refuses thinking budgets and sampling parameters. */
interface AdaptiveModel {
  /** Condition under which the model reasons. */
  readonly thinks: "if-asked" | "unless-disabled" | "always";
  readonly refusesForcedTools?: true;
}

/**
 * Rules by family and first version; the first match applies. Source: Anthropic's table of models, as pydantic-ai-slim
 * 2.68.0 and Claude Code 2.1.331 implement it.
 */
const adaptiveModels: readonly (readonly [families: RegExp, from: Version, rules: AdaptiveModel])[] = [
  [/fable|mythos/, [5, 1], { thinks: "always", refusesForcedTools: true }],
  [/fable|mythos/, [5, 0], { thinks: "always" }],
  [/opus|sonnet/, [5, 5], { thinks: "always", refusesForcedTools: true }],
  [/opus|sonnet|haiku/, [5, 0], { thinks: "unless-disabled" }],
  [/(?:)/, [4, 7], { thinks: "if-asked" }],
];

type Version = readonly [major: number, minor: number];

/** First version that accepts temperature or top_p, but not both. */
const firstVersionWithSingleSampling: Version = [4, 1];

/** Returns the rules of a model; undefined if it accepts thinking budgets and sampling. */
export function adaptiveModel(model: string): AdaptiveModel | undefined {
  return adaptiveModels.find(([families, from]) => families.test(model) && isAtLeastVersion(model, from))?.[2];
}

export function acceptsOnlyOneSamplingParameter(model: string): boolean {
  return isAtLeastVersion(model, firstVersionWithSingleSampling);
}

/** First versions that accept messages of the role `system` (Anthropic's page on them). */
const systemMessages: readonly (readonly [families: RegExp, from: Version])[] = [
  [/fable|mythos/, [5, 0]],
  [/opus/, [4, 8]],
  [/sonnet|haiku/, [5, 5]],
];

/** Models on Bedrock and Vertex AI refuse messages of the role `system`. */
const onClouds = /(?:^|[./])anthropic\.|@/;

/** Returns true if a model accepts messages of the role `system`. */
export function acceptsSystemMessages(model: string): boolean {
  return (
    !onClouds.test(model) &&
    systemMessages.some(([families, from]) => families.test(model) && isAtLeastVersion(model, from))
  );
}

/** Returns true for the name of a model on Bedrock, which runs none of Anthropic's tools. */
export function isOnBedrock(model: string): boolean {
  return /(?:^|[./])anthropic\./.test(model);
}

/** Compares the version in a model's name, which may be before or after the family. */
function isAtLeastVersion(model: string, [major, minor]: Version): boolean {
  const [, first, second] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second ?? 0) >= minor);
}

/** Returns a request with a tool choice that the model accepts. Reports a forced choice as lost if it is replaced. */
export function withAcceptedToolChoice(request: TextRequest, model: string, unsupported: Unsupported): TextRequest {
  if (!forcesTool(request) || adaptiveModel(model)?.refusesForcedTools !== true) return request;
  unsupported.note("toolChoice");
  return { ...request, toolChoice: { ...request.toolChoice, mode: "auto" } };
}

/** Members of a request that request reasoning, and other values that depend on them. */
interface ClaudeThinking {
  readonly thinking: JsonRecord | undefined;
  /** Effort for `output_config`. */
  readonly effort: string | undefined;
  /** Output limit, reasoning included. */
  readonly maxTokens: number;
  readonly on: boolean;
}

/**
 * Renders reasoning for Claude. Reasoning that the vendor would refuse is left out and reported as lost: with a forced
 * tool, and in a tool loop whose turns do not begin with reasoning that the vendor signed. If a client turns reasoning
 * off, a model that always reasons gets the lowest effort.
 */
export function renderClaudeThinking(
  request: TextRequest,
  target: TextTarget,
  { messages, form }: { readonly messages: readonly Message[]; readonly form: MessageBlocks },
  unsupported: Unsupported,
): ClaudeThinking {
  const { reasoning } = request;
  const maxTokens = request.maxTokens ?? target.defaultMaxTokens;
  const withoutReasoning = { thinking: undefined, effort: undefined, maxTokens, on: false };
  if (reasoning === undefined || isUnset(reasoning)) return withoutReasoning;
  const adaptive = adaptiveModel(target.model);
  const effort = reasoningEffort(reasoning);
  const alwaysThinks = adaptive?.thinks === "always";
  const off = { ...withoutReasoning, ...minimumThinking(adaptive?.thinks) };
  if (effort === "none") {
    unsupported.noteIf("reasoning", alwaysThinks);
    return off;
  }
  if ((forcesTool(request) && !alwaysThinks) || (adaptive === undefined && hasCallWithoutReasoning(messages, form))) {
    unsupported.note("reasoning");
    return off;
  }
  if (adaptive === undefined)
    return withBudget(request, reasoning, { effort: effort ?? "medium", maxTokens, off }, unsupported);
  unsupported.noteIf("reasoning", effort === "minimal");
  const display = reasoning.show === "none" ? "omitted" : "summarized";
  return {
    ...withoutReasoning,
    thinking: { type: "adaptive", display },
    effort: effort === "minimal" ? "low" : effort,
    on: true,
  };
}

function minimumThinking(thinks: AdaptiveModel["thinks"] | undefined): Partial<ClaudeThinking> {
  if (thinks === "always") return { effort: "low" };
  return thinks === "if-asked" ? {} : { thinking: { type: "disabled" } };
}

function withBudget(
  request: TextRequest,
  reasoning: ReasoningOptions,
  options: { readonly effort: Exclude<Effort, "none">; readonly maxTokens: number; readonly off: ClaudeThinking },
  unsupported: Unsupported,
): ClaudeThinking {
  const { effort, maxTokens, off } = options;
  const requestedBudget = thinkingBudget(reasoning, effort, maxTokens);
  const budget = request.maxTokens === undefined ? requestedBudget : budgetWithin(request.maxTokens, requestedBudget);
  if (budget === undefined || (budget < requestedBudget && reasoning.budgetTokens !== undefined))
    unsupported.note("reasoning");
  if (budget === undefined) return off;
  const display = reasoning.show === "none" ? "omitted" : undefined;
  return {
    thinking: withoutUndefined({ type: "enabled", budget_tokens: budget, display }),
    effort: undefined,
    // Only the gateway's default limit can be below the budget. It is meant for the text of the answer, so the budget
    // is added to it.
    maxTokens: maxTokens > budget ? maxTokens : maxTokens + budget,
    on: true,
  };
}

/** Share of the output limit that becomes the budget if the requested budget does not fit. */
const reasoningShare = 0.8;

/**
 * Lowers a budget that does not fit into the output limit, which includes reasoning. Returns undefined if even the
 * minimum does not fit.
 */
function budgetWithin(limit: number, budget: number): number | undefined {
  if (budget < limit) return budget;
  if (limit <= minBudget) return undefined;
  return Math.max(minBudget, Math.floor(limit * reasoningShare));
}

function isUnset({ effort, budgetTokens, show }: ReasoningOptions): boolean {
  return effort === undefined && budgetTokens === undefined && (show === undefined || show === "none");
}

/** Minimum thinking budget of models, in tokens. */
const minBudget = 1024;

const budgetByEffort = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 32_768 } as const;

function thinkingBudget(
  { budgetTokens }: ReasoningOptions,
  effort: Exclude<Effort, "none">,
  maxTokens: number,
): number {
  if (budgetTokens !== undefined && budgetTokens > 0) return Math.max(minBudget, budgetTokens);
  return effort === "max" ? Math.max(budgetByEffort.max, Math.floor(maxTokens * 0.8)) : budgetByEffort[effort];
}
