import type { Unsupported, TextRequest } from "./request.ts";
import { forcesTool } from "./render.ts";

/** Rules of a Claude model that refuses thinking budgets and all sampling parameters. */
export interface AdaptiveModel {
  /** Requests for which the model reasons: those that request it, those that do not disable it, or all. */
  readonly thinks: "if-asked" | "unless-disabled" | "always";
  /** True if the model refuses a tool choice that forces a call. */
  readonly refusesForcedTools?: true;
}

/**
 * Rules of these models by family and first version; the first match applies. Source: the table of models in
 * Anthropic's documentation, as pydantic-ai-slim 2.68.0 and Claude Code 2.1.331 implement it.
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

/** Returns the rules of a model, by its vendor name; undefined if it accepts thinking budgets and sampling. */
export function adaptiveModel(model: string): AdaptiveModel | undefined {
  return adaptiveModels.find(([families, from]) => families.test(model) && isAtLeastVersion(model, from))?.[2];
}

export function takesSingleSampling(model: string): boolean {
  return isAtLeastVersion(model, firstVersionWithSingleSampling);
}

/** First versions with messages of the role `system` (Anthropic's page on them); others refuse or ignore them. */
const systemMessages: readonly (readonly [families: RegExp, from: Version])[] = [
  [/fable|mythos/, [5, 0]],
  [/opus/, [4, 8]],
  [/sonnet|haiku/, [5, 5]],
];

/** Matches names of models on Bedrock and Vertex AI, which refuse messages of the role `system`. */
const onClouds = /(?:^|[./])anthropic\.|@/;

/** Returns true if a model accepts messages of the role `system`, by its vendor name. */
export function takesSystemMessages(model: string): boolean {
  return (
    !onClouds.test(model) &&
    systemMessages.some(([families, from]) => families.test(model) && isAtLeastVersion(model, from))
  );
}

/** Returns true for the name of a model on Bedrock, which runs none of Anthropic's tools. */
export function isOnBedrock(model: string): boolean {
  return /(?:^|[./])anthropic\./.test(model);
}

/** Returns true if a Claude model has at least this version, which its name has before or after the family. */
function isAtLeastVersion(model: string, [major, minor]: Version): boolean {
  const [, first, second] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second ?? 0) >= minor);
}

/** Returns a request with a tool choice that the model accepts. If no call can be forced, the model decides. */
export function withAcceptedToolChoice(request: TextRequest, model: string, unsupported: Unsupported): TextRequest {
  if (!forcesTool(request) || adaptiveModel(model)?.refusesForcedTools !== true) return request;
  unsupported.note("toolChoice");
  return { ...request, toolChoice: { ...request.toolChoice, mode: "auto" } };
}
