import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import { type FieldSupport, unsupportedFailure, unsupportedFields, Unsupported } from "../hub/field-support.ts";
import { refusesUnknownFields } from "../hub/followers-members.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { cachedBy } from "../hub/prompt-cache.ts";
import { forcesOne, offeredTools, ownTool } from "../hub/render.ts";
import {
  effortOf,
  type JsonObject,
  type RequestField,
  type TextRequest,
  type Tool,
  type ToolChoice,
  searchName,
} from "../hub/request.ts";
import { customParameters } from "../hub/tool-calls.ts";
import { renderSearchOptions } from "./search.ts";
import { takesNewestFields, renderTurns, searchesTheWeb } from "./vendor-turns.ts";

/** Fields of the neutral form as the vendors of this wire take them; the site has them as a page. */
export const fieldSupport: FieldSupport = {
  as: {
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
    metadata: "metadata",
    user: "user",
    safetyIdentifier: "safety_identifier",
    serviceTier: "service_tier",
    prediction: "prediction",
  },
  refused: [],
};

const maxStops = 4;

/**
 * The request for a vendor of this wire. A stream always requests its usage: the bill needs it, and the writer
 * hides it from a client that did not request it. Throws Failure unsupported_parameter for what the wire cannot express.
 */
export function renderRequest(clientRequest: TextRequest, { model }: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(cachedBy(model, clientRequest), "chat", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  if ((request.stop?.length ?? 0) > maxStops) throw unsupportedFailure("stop", `At most ${maxStops} stop sequences.`);
  const body = present({
    model,
    messages: renderTurns(request, model, unsupported),
    stream: request.stream ? true : undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    ...renderTools(request, model, unsupported),
    // The wire's own vendor takes only the newer name for its thinking models; most of its followers only the older.
    [takesNewestFields(model) ? "max_completion_tokens" : "max_tokens"]: request.maxTokens,
    stop: request.stop,
    response_format: renderFormat(request),
    reasoning_effort: request.reasoning === undefined ? undefined : effortOf(request.reasoning),
    temperature: request.temperature,
    top_p: request.topP,
    top_k: refused(model, "topK", request.topK, unsupported),
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: request.seed,
    n: request.choices,
    ...renderProbabilities(request),
    logit_bias: request.logitBias,
    ...renderOutput(request),
    verbosity: request.verbosity,
    prompt_cache_key: request.cacheKey,
    prompt_cache_retention: request.cacheRetention,
    metadata: refused(model, "metadata", request.metadata, unsupported),
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    service_tier: request.serviceTier,
    prediction: request.prediction,
  });
  return { body, dropped: unsupported.words };
}

/** The wire's own vendor knows no `top_k`, and takes `metadata` only with answers that it stores, which we never ask. */
function refused<Value>(model: string, field: RequestField, value: Value, unsupported: Unsupported): Value | undefined {
  if (!refusesUnknownFields(model)) return value;
  unsupported.noteIf(field, value);
  return undefined;
}

function renderFormat({ format }: TextRequest): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: present({ name: name ?? "answer", description, schema, strict }) };
}

/** Zero alternatives are the vendor's default, and some refuse the explicit value. */
function renderProbabilities({ logProbabilities }: TextRequest): JsonObject {
  if (logProbabilities === undefined) return {};
  const { alternatives } = logProbabilities;
  return { logprobs: true, top_logprobs: alternatives === 0 ? undefined : alternatives };
}

/** Speech needs a format on this wire; a stream's can be `pcm16` only. */
function renderOutput({ modalities, audio, image, stream }: TextRequest): JsonObject {
  return {
    modalities,
    audio: audio === undefined ? undefined : { format: stream ? "pcm16" : "wav", ...audio },
    image_config:
      image === undefined ? undefined : present({ aspect_ratio: image.aspectRatio, image_size: image.size }),
  };
}

/**
 * `tools` with what depends on them, and `web_search_options`. Vendors refuse a choice, or a word on parallel calls,
 * where there are no tools.
 */
function renderTools(request: TextRequest, model: string, unsupported: Unsupported): JsonObject {
  const { tools = [], toolChoice, parallelTools } = request;
  const newest = takesNewestFields(model);
  // Where the vendor knows no list of allowed tools, the others are not sent to the model.
  const allowed = newest ? tools : offeredTools(request);
  const rendered = allowed.flatMap((tool) => renderTool(tool, newest, unsupported));
  const search = { web_search_options: renderSearch(tools, model, unsupported) };
  if (rendered.length === 0) {
    unsupported.noteIf("toolChoice", toolChoice);
    return search;
  }
  const choice = toolChoice === undefined ? undefined : renderChoice(toolChoice, tools, newest);
  unsupported.noteIf("toolChoice", toolChoice !== undefined && choice === undefined);
  return { tools: rendered, tool_choice: choice, parallel_tool_calls: parallelTools, ...search };
}

function renderTool(tool: Tool, newest: boolean, unsupported: Unsupported): readonly JsonObject[] {
  if (tool.kind === "function") {
    const { name, description, parameters, strict, cache } = tool;
    unsupported.noteIf("tools.cache", cache);
    return [{ type: "function", function: present({ name, description, parameters, strict }) }];
  }
  if (tool.kind === "custom") {
    const { name, description, format } = tool;
    if (newest) return [{ type: "custom", custom: present({ name, description, format: renderGrammar(format) }) }];
    unsupported.noteIf("tools.format", format);
    return [{ type: "function", function: present({ name, description, parameters: customParameters }) }];
  }
  if (tool.kind === "web-search") return [];
  return [ownTool(tool, "chat")];
}

function renderGrammar(format: unknown): unknown {
  if (!isRecord(format) || format["type"] !== "grammar") return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

/** Agents of other wires offer a search with every request: where the model has none, the request goes without. */
function renderSearch(tools: readonly Tool[], model: string, unsupported: Unsupported): JsonObject | undefined {
  const search = tools.find((tool) => tool.kind === "web-search");
  if (search === undefined) return undefined;
  if (search.wire !== "chat" && !searchesTheWeb(model)) {
    unsupported.note("tools.web-search");
    return undefined;
  }
  return renderSearchOptions(search, unsupported);
}

function renderChoice(choice: ToolChoice, tools: readonly Tool[], newest: boolean): unknown {
  const { mode } = choice;
  const searches = tools.some(({ kind }) => kind === "web-search");
  const names = choice.names?.filter((name) => !searches || name !== searchName);
  if (names === undefined || mode === "none") return mode;
  // A model that searches does so on its own: there is no tool to force.
  if (names.length === 0) return undefined;
  const chosen = names.map((name) => named(name, tools, newest));
  if (forcesOne(choice)) return chosen[0];
  return newest ? { type: "allowed_tools", allowed_tools: { mode, tools: chosen } } : mode;
}

function named(name: string, tools: readonly Tool[], newest: boolean): JsonObject {
  const custom = newest && tools.some((tool) => tool.kind === "custom" && tool.name === name);
  return custom ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}
