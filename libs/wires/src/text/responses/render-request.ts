import { present } from "@modelgate/contracts";
import type { Rendered, Target } from "../hub/codec.ts";
import { cachedBy } from "../hub/prompt-cache.ts";
import { effortOf } from "../hub/effort.ts";
import { unsupportedFailure, unsupportedFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { fieldSupport } from "./field-support.ts";
import { renderTurns } from "./render-turns.ts";
import { renderTools, renderToolChoice } from "./render-tools.ts";

/** The least bound that the vendor takes. */
export const leastOutputTokens = 16;

const showWords = { none: undefined, summary: "auto", full: "detailed" } as const;

/**
 * The request for a vendor of this wire. It stores nothing there: the conversation is ours, and thoughts come back
 * sealed. Throws Failure unsupported_parameter for what the wire cannot say.
 */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(cachedBy(target.model, asked), "responses", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  if (request.modalities?.includes("audio") === true) throw unsupportedFailure("modalities");
  unsupported.noteIf("text.cache", request.instructions[0]?.cache);
  const body = present({
    model: target.model,
    instructions: request.instructions[0]?.text,
    input: renderTurns(request, unsupported),
    stream: request.stream ? true : undefined,
    store: false,
    tools: renderTools(request, unsupported),
    tool_choice: renderToolChoice(request, unsupported),
    parallel_tool_calls: request.parallelTools,
    max_output_tokens: renderBound(request, unsupported),
    temperature: request.temperature,
    top_p: request.topP,
    reasoning: renderReasoning(request),
    text: renderText(request),
    include: renderInclude(request),
    top_logprobs: request.logProbabilities?.alternatives,
    prompt_cache_key: request.cacheKey,
    prompt_cache_retention: request.cacheRetention,
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    service_tier: request.serviceTier,
  });
  return { body, dropped: unsupported.words };
}

/** A bound that the vendor takes: a smaller one is raised, and named as lost. */
function renderBound({ maxTokens }: TextRequest, unsupported: Unsupported): number | undefined {
  unsupported.noteIf("maxTokens", maxTokens !== undefined && maxTokens < leastOutputTokens);
  return maxTokens === undefined ? undefined : Math.max(maxTokens, leastOutputTokens);
}

function renderReasoning({ reasoning }: TextRequest): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const summary = reasoning.show === undefined ? undefined : showWords[reasoning.show];
  return present({ effort: effortOf(reasoning), summary });
}

function renderText({ format, verbosity }: TextRequest): JsonObject | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return present({ format: renderFormat(format), verbosity });
}

function renderFormat(format: TextRequest["format"]): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return present({ type: "json_schema", name: name ?? "answer", description, schema, strict });
}

/** Models that do not think refuse a wish for sealed thoughts. */
function renderInclude({ reasoning, logProbabilities }: TextRequest): readonly string[] | undefined {
  const thinks = reasoning !== undefined && effortOf(reasoning) !== "none";
  const include = [
    ...(thinks ? ["reasoning.encrypted_content"] : []),
    ...(logProbabilities === undefined ? [] : ["message.output_text.logprobs"]),
  ];
  return include.length > 0 ? include : undefined;
}
