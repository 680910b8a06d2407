import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import {
  adaptiveModel,
  isOnBedrock,
  acceptsOnlyOneSamplingParameter,
  withAcceptedToolChoice,
  renderClaudeThinking,
} from "../hub/claude.ts";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { FieldSupport, TextRequest } from "../hub/request.ts";
import { unsupportedFailure, unsupportedFields, Unsupported } from "../hub/request.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import { keepLastMarks, maxCacheMarks, withMarkLifetime } from "../hub/prompt-cache.ts";
import type { ToolRenderers } from "../hub/render.ts";
import { forcesSingleTool, offeredTools, requireToolOfWire, renderToolBy, requireToolName } from "../hub/render.ts";
import { customParameters } from "../hub/tool-calls.ts";
import { withoutSearches } from "../hub/web-search.ts";
import { renderCache } from "./parts.ts";
import { renderSearch } from "./search.ts";
import { isRunBy, vendorTool } from "./usage.ts";
import { automaticMarks, messagesBlocks, withCacheMarks, renderTurns } from "./vendor-turns.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "tools",
    toolChoice: "tool_choice",
    parallelTools: "tool_choice.disable_parallel_tool_use",
    maxTokens: "max_tokens",
    stop: "stop_sequences",
    format: "output_config.format",
    reasoning: "thinking",
    temperature: "temperature",
    topP: "top_p",
    topK: "top_k",
    cacheKey: "cache_control",
    cacheRetention: "cache_control",
    cacheMode: "cache_control",
    prewarm: "max_tokens",
    user: "metadata.user_id",
    serviceTier: "service_tier",
  },
  refused: ["choices", "logProbabilities", "modalities", "audio"],
};

/** Renders a vendor's request. Throws Failure unsupported_parameter. */
export function renderRequest(clientRequest: TextRequest, target: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const runsNoTools = isOnBedrock(target.model);
  const offered = withoutSearches(withoutAnswer(clientRequest, target.model), () => runsNoTools, unsupported);
  const accepted = withAcceptedToolChoice(offered, target.model, unsupported);
  const fitted = withoutForeignSteps(accepted, "messages", unsupported, ({ definition }) =>
    vendorTool("", definition).some((tool) => !isRunBy(target, tool)),
  );
  const request = keepLastMarks(withMarkLifetime(fitted), maxCacheMarks - automaticMarks(fitted), unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const turns = renderTurns(withFormatInstruction(request, unsupported), target.model, unsupported);
  const { system, messages } = withCacheMarks(turns, request);
  const conversation = { messages, form: messagesBlocks };
  const { thinking, effort, maxTokens, on } = renderClaudeThinking(request, target, conversation, unsupported);
  const body = withoutUndefined({
    model: target.model,
    max_tokens: request.prewarm === true ? 0 : maxTokens,
    system,
    messages,
    stream: request.stream ? true : undefined,
    tools: renderTools(request, unsupported),
    tool_choice: renderToolChoice(request, unsupported),
    stop_sequences: renderStop(request),
    thinking,
    output_config: renderOutput(request, effort, unsupported),
    ...renderSampling(request, target.model, on, unsupported),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    service_tier: renderTier(request, unsupported),
  });
  return { body, dropped: unsupported.names };
}

/** Returns a request that only fills the cache, without settings of the answer, which the vendor refuses. */
function withoutAnswer(request: TextRequest, model: string): TextRequest {
  if (request.prewarm !== true) return request;
  const { format: _format, toolChoice: _choice, reasoning, ...kept } = request;
  // A thinking budget must be less than the output limit, which is 0 here.
  return reasoning === undefined || adaptiveModel(model) === undefined ? kept : { ...kept, reasoning };
}

/** Replaces the output format `json` by an instruction, because the vendor supports JSON only with a schema. */
function withFormatInstruction(request: TextRequest, unsupported: Unsupported): TextRequest {
  if (request.format?.kind !== "json") return request;
  unsupported.note("format");
  const instruction = { kind: "text", text: "Answer with one JSON object and nothing else." } as const;
  return { ...request, instructions: [...request.instructions, instruction] };
}

/** Renders the stop sequences. The vendor refuses a sequence of white space only. */
function renderStop({ stop }: TextRequest): readonly string[] | undefined {
  if (stop?.some((sequence) => sequence.trim() === "") === true)
    throw unsupportedFailure("stop", "The vendor of this model cannot stop at white space only.");
  return stop !== undefined && stop.length > 0 ? stop : undefined;
}

function renderOutput(
  { format }: TextRequest,
  effort: string | undefined,
  unsupported: Unsupported,
): JsonRecord | undefined {
  if (format === undefined || format.kind === "json") return effort === undefined ? undefined : { effort };
  unsupported.noteMembers("format", format, ["name", "description", "strict"]);
  return withoutUndefined({ effort, format: { type: "json_schema", schema: format.schema } });
}

function renderTier({ serviceTier }: TextRequest, unsupported: Unsupported): string | undefined {
  if (serviceTier === "auto") return serviceTier;
  if (serviceTier === "default" || serviceTier === "standard_only") return "standard_only";
  unsupported.noteIf("serviceTier", serviceTier);
  return undefined;
}

function renderTools(request: TextRequest, unsupported: Unsupported): readonly JsonRecord[] | undefined {
  const tools = offeredTools(request);
  return tools.length > 0 ? tools.map((tool) => renderToolBy(toolRenderers, tool, unsupported)) : undefined;
}

const toolNamePattern = /^[A-Za-z0-9_-]{1,128}$/;

const toolRenderers: ToolRenderers = {
  function: ({ name, description, parameters, strict, cache }) =>
    withoutUndefined({
      name: requireToolName(name, toolNamePattern),
      description,
      input_schema: schemaOf(name, parameters),
      strict: strict === true ? true : undefined,
      cache_control: renderCache(cache),
    }),
  custom: ({ name, description, format }, unsupported) => {
    unsupported.noteIf("tools.format", format);
    return withoutUndefined({
      name: requireToolName(name, toolNamePattern),
      description,
      input_schema: customParameters,
    });
  },
  "web-search": renderSearch,
  vendor: (tool) => requireToolOfWire(tool, "messages"),
};

/** Returns the schema of arguments. The vendor requires the type `object`. */
function schemaOf(name: string, parameters: JsonRecord | undefined): JsonRecord {
  if (parameters === undefined) return { type: "object", properties: {} };
  const { type } = parameters;
  if (type === "object") return parameters;
  if (type === undefined || type === null || (Array.isArray(type) && type.includes("object")))
    return { ...parameters, type: "object" };
  throw unsupportedFailure("tools", `The vendor of this model requires the arguments of ${name} to be an object.`);
}

const modes = { auto: "auto", none: "none", required: "any" } as const;

/** Renders the tool choice, which the vendor refuses without tools. */
function renderToolChoice(request: TextRequest, unsupported: Unsupported): JsonRecord | undefined {
  const { toolChoice, parallelTools } = request;
  if (offeredTools(request).length === 0) {
    unsupported.noteIf("toolChoice", toolChoice);
    return undefined;
  }
  const disablesParallel = parallelTools === false && toolChoice?.mode !== "none" ? true : undefined;
  if (toolChoice === undefined)
    return disablesParallel === undefined ? undefined : { type: "auto", disable_parallel_tool_use: disablesParallel };
  const renderedChoice = forcesSingleTool(toolChoice)
    ? { type: "tool", name: toolChoice.names?.[0] }
    : { type: modes[toolChoice.mode] };
  return withoutUndefined({ ...renderedChoice, disable_parallel_tool_use: disablesParallel });
}

/** Minimum top_p that the vendor accepts with thinking. */
const minTopP = 0.95;

/** Renders sampling parameters. The loss of 1 is not reported, because it is the default of temperature and top_p. */
function renderSampling(
  { temperature, topP, topK }: TextRequest,
  model: string,
  thinks: boolean,
  unsupported: Unsupported,
): JsonRecord {
  if (temperature !== undefined && temperature > 1)
    throw unsupportedFailure("temperature", "The vendor of this model accepts a temperature from 0 to 1.");
  const acceptsSampling = adaptiveModel(model) === undefined;
  const acceptsBoth = temperature === undefined || !acceptsOnlyOneSamplingParameter(model);
  const fitsThinking = !thinks || (topP ?? 0) >= minTopP;
  const sampling: JsonRecord = acceptsSampling && !thinks ? { temperature, top_k: topK } : {};
  const topPMember: JsonRecord = acceptsSampling && acceptsBoth && fitsThinking ? { top_p: topP } : {};
  unsupported.noteIf(
    "temperature",
    temperature === 1 ? undefined : unlessRendered(temperature, sampling["temperature"]),
  );
  unsupported.noteIf("topP", topP === 1 ? undefined : unlessRendered(topP, topPMember["top_p"]));
  unsupported.noteIf("topK", unlessRendered(topK, sampling["top_k"]));
  return { ...sampling, ...topPMember };
}

function unlessRendered(requested: number | undefined, rendered: unknown): number | undefined {
  return rendered === undefined ? requested : undefined;
}
