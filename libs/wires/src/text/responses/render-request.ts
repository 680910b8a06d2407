import { present } from "../../json/present.ts";
import type { Rendered, Target } from "../hub/codec.ts";
import { effortOf } from "../hub/effort.ts";
import { cannotSay, lostFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Losses } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { fates } from "./field-support.ts";
import { renderItems } from "./render-turns.ts";
import { renderTools, renderToolChoice } from "./render-tools.ts";

const showWords = { none: undefined, summary: "auto", full: "detailed" } as const;

/**
 * The request for a vendor of this wire. It stores nothing there: the conversation is ours, and thoughts come back
 * sealed. Throws Failure unsupported_parameter for what the wire cannot say.
 */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const losses = new Losses();
  const request = withoutForeignSearches(asked, "responses", losses);
  for (const field of lostFields(request, fates)) losses.note(field);
  if (request.modalities?.includes("audio") === true) throw cannotSay("modalities");
  losses.noteIf("text.cache", request.instructions[0]?.cache);
  const body = present({
    model: target.model,
    instructions: request.instructions[0]?.text,
    input: renderItems(request, losses),
    stream: request.stream ? true : undefined,
    store: false,
    tools: renderTools(request, losses),
    tool_choice: renderToolChoice(request, losses),
    parallel_tool_calls: request.parallelTools,
    max_output_tokens: request.maxTokens,
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
  return { body, dropped: losses.words };
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
