import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { FieldSupport, RequestField, TextRequest, Tool, ToolChoice } from "../hub/request.ts";
import { unsupportedFailure, unsupportedFields, Unsupported, searchToolName } from "../hub/request.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import {
  acceptsNewestFields,
  openAiEffort,
  refusesUnknownFields,
  withAcceptedSampling,
  withAcceptedTier,
} from "../hub/openai-models.ts";
import { adaptCacheMarks, renderCaching } from "../hub/prompt-cache.ts";
import { forcesSingleTool, offeredTools, requireToolOfWire } from "../hub/render.ts";
import { customParameters } from "../hub/tool-calls.ts";
import type { ChatDialect } from "./dialect.ts";
import { renderSearchOptions } from "./search.ts";
import { renderTurns, searchesTheWeb } from "./vendor-turns.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "tools",
    toolChoice: "tool_choice",
    parallelTools: "parallel_tool_calls",
    maxTokens: "max_completion_tokens",
    stop: "stop",
    format: "response_format",
    reasoning: "reasoning_effort",
    temperature: "temperature",
    topP: "top_p",
    topK: "top_k",
    presencePenalty: "presence_penalty",
    frequencyPenalty: "frequency_penalty",
    seed: "seed",
    choices: "n",
    logProbabilities: "top_logprobs",
    logitBias: "logit_bias",
    modalities: "modalities",
    image: "image_config",
    audio: "audio",
    verbosity: "verbosity",
    cacheKey: "prompt_cache_key",
    cacheRetention: "prompt_cache_retention",
    cacheMode: "prompt_cache_options",
    metadata: "metadata",
    user: "user",
    safetyIdentifier: "safety_identifier",
    serviceTier: "service_tier",
    prediction: "prediction",
  },
  refused: ["prewarm"],
};

const maxStops = 4;

/** Renders a vendor's request. A stream always requests usage, for billing. Throws Failure unsupported_parameter. */
export function renderRequest(
  clientRequest: TextRequest,
  { model }: TextTarget,
  { needsReasoning, noSchemas }: ChatDialect = {},
): Rendered {
  const unsupported = new Unsupported();
  const formatted = noSchemas === true ? withSchemaInstruction(clientRequest, unsupported) : clientRequest;
  const sampled = withAcceptedSampling(formatted, model, unsupported);
  const accepted = withAcceptedTier(sampled, model, unsupported);
  const request = withoutForeignSteps(adaptCacheMarks(model, accepted, unsupported), "chat", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  if ((request.stop?.length ?? 0) > maxStops) throw unsupportedFailure("stop", `At most ${maxStops} stop sequences.`);
  const body = withoutUndefined({
    model,
    messages: renderTurns(request, { model, needsReasoning }, unsupported),
    stream: request.stream ? true : undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    ...renderTools(request, model, unsupported),
    // OpenAI's reasoning models accept only the newer name. Most compatible vendors accept only the older one.
    [acceptsNewestFields(model) ? "max_completion_tokens" : "max_tokens"]: request.maxTokens,
    stop: request.stop,
    response_format: renderFormat(request),
    reasoning_effort: openAiEffort(request, model, "chat", unsupported),
    temperature: request.temperature,
    top_p: request.topP,
    top_k: unlessRefused(model, "topK", request.topK, unsupported),
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: request.seed,
    n: request.choices,
    ...renderProbabilities(request),
    logit_bias: request.logitBias,
    ...renderOutput(request),
    verbosity: request.verbosity,
    prompt_cache_key: request.cacheKey,
    ...renderCaching(request, model, "chat", unsupported),
    metadata: unlessRefused(model, "metadata", request.metadata, unsupported),
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    service_tier: request.serviceTier,
    prediction: request.prediction,
  });
  return { body, dropped: unsupported.names };
}

/** Replaces an output format with a schema by JSON and an instruction that contains the schema. */
function withSchemaInstruction(request: TextRequest, unsupported: Unsupported): TextRequest {
  const { format, instructions } = request;
  if (format?.kind !== "schema") return request;
  unsupported.note("format");
  const text = `Answer with one JSON object of this JSON schema and nothing else:\n${JSON.stringify(format.schema)}`;
  return { ...request, format: { kind: "json" }, instructions: [...instructions, { kind: "text", text }] };
}

/**
 * Returns a value unless the model's vendor refuses it. OpenAI refuses `top_k`, and `metadata` unless it stores the
 * answer.
 */
function unlessRefused<Value>(
  model: string,
  field: RequestField,
  value: Value,
  unsupported: Unsupported,
): Value | undefined {
  if (!refusesUnknownFields(model)) return value;
  unsupported.noteIf(field, value);
  return undefined;
}

function renderFormat({ format }: TextRequest): JsonRecord | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return {
    type: "json_schema",
    json_schema: withoutUndefined({ name: name ?? "answer", description, schema, strict }),
  };
}

/**
 * Renders the request for log probabilities. The default of 0 alternatives is not sent, because some vendors refuse it.
 */
function renderProbabilities({ logProbabilities }: TextRequest): JsonRecord {
  if (logProbabilities === undefined) return {};
  const { alternatives } = logProbabilities;
  return { logprobs: true, top_logprobs: alternatives === 0 ? undefined : alternatives };
}

/**
 * Renders the fields for other output than text. This wire requires a format of speech, which must be `pcm16` in a
 * stream.
 */
function renderOutput({ modalities, audio, image, stream }: TextRequest): JsonRecord {
  return {
    modalities,
    audio: audio === undefined ? undefined : { format: stream ? "pcm16" : "wav", ...audio },
    image_config:
      image === undefined ? undefined : withoutUndefined({ aspect_ratio: image.aspectRatio, image_size: image.size }),
  };
}

/** Renders tools and settings of tools. Vendors refuse the settings without tools. */
function renderTools(request: TextRequest, model: string, unsupported: Unsupported): JsonRecord {
  const { tools = [], toolChoice, parallelTools } = request;
  const newest = acceptsNewestFields(model);
  // Not every vendor supports a list of allowed tools.
  const allowed = newest ? tools : offeredTools(request);
  const rendered = allowed.flatMap((tool) => renderTool(tool, newest, unsupported));
  const search = { web_search_options: renderSearch(tools, model, unsupported) };
  if (rendered.length === 0) {
    unsupported.noteIf("toolChoice", toolChoice);
    return search;
  }
  const choice = toolChoice === undefined ? undefined : renderToolChoice(toolChoice, tools, newest);
  unsupported.noteIf("toolChoice", toolChoice !== undefined && choice === undefined);
  return { tools: rendered, tool_choice: choice, parallel_tool_calls: parallelTools, ...search };
}

function renderTool(tool: Tool, newest: boolean, unsupported: Unsupported): readonly JsonRecord[] {
  if (tool.kind === "function") {
    const { name, description, parameters, strict, cache } = tool;
    unsupported.noteIf("tools.cache", cache);
    return [{ type: "function", function: withoutUndefined({ name, description, parameters, strict }) }];
  }
  if (tool.kind === "custom") {
    const { name, description, format } = tool;
    if (newest)
      return [{ type: "custom", custom: withoutUndefined({ name, description, format: renderGrammar(format) }) }];
    unsupported.noteIf("tools.format", format);
    return [{ type: "function", function: withoutUndefined({ name, description, parameters: customParameters }) }];
  }
  if (tool.kind === "web-search") return [];
  return [requireToolOfWire(tool, "chat")];
}

function renderGrammar(format: unknown): unknown {
  if (!isRecord(format) || format["type"] !== "grammar") return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/**
 * Renders web search. Agents request it in every call. For models without search, it is dropped, unless a chat client
 * requests it.
 */
function renderSearch(tools: readonly Tool[], model: string, unsupported: Unsupported): JsonRecord | undefined {
  const search = tools.find((tool) => tool.kind === "web-search");
  if (search === undefined) return undefined;
  if (search.wire !== "chat" && !searchesTheWeb(model)) {
    unsupported.note("tools.web-search");
    return undefined;
  }
  return renderSearchOptions(search, unsupported);
}

function renderToolChoice(choice: ToolChoice, tools: readonly Tool[], newest: boolean): unknown {
  const { mode } = choice;
  const searches = tools.some(({ kind }) => kind === "web-search");
  const names = choice.names?.filter((name) => !searches || name !== searchToolName);
  if (names === undefined || mode === "none") return mode;
  // `tool_choice` cannot force the web search of a search model.
  if (names.length === 0) return undefined;
  const chosen = names.map((name) => renderChosenTool(name, tools, newest));
  if (forcesSingleTool(choice)) return chosen[0];
  return newest ? { type: "allowed_tools", allowed_tools: { mode, tools: chosen } } : mode;
}

function renderChosenTool(name: string, tools: readonly Tool[], newest: boolean): JsonRecord {
  const custom = newest && tools.some((tool) => tool.kind === "custom" && tool.name === name);
  return custom ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}
