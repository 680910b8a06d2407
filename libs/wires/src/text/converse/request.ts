import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import {
  adaptiveModel,
  acceptsOnlyOneSamplingParameter,
  withAcceptedToolChoice,
  renderClaudeThinking,
} from "../hub/claude.ts";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import { unsupportedFailure, unsupportedFields, Unsupported, reasoningEffort } from "../hub/request.ts";
import type { FieldSupport, TextRequest, Tool, Effort } from "../hub/request.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import { forcesSingleTool, offeredTools, requireToolOfWire, unlessEmpty, requireToolName } from "../hub/render.ts";
import { customParameters } from "../hub/tool-calls.ts";
import { DocumentNames, renderTurns, withCachePoint, converseBlocks, type ConversePartContext } from "./turns.ts";
import type { Message } from "../hub/paired-messages.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "toolConfig.tools",
    toolChoice: "toolConfig.toolChoice",
    maxTokens: "inferenceConfig.maxTokens",
    stop: "inferenceConfig.stopSequences",
    format: "outputConfig.textFormat",
    reasoning: "additionalModelRequestFields",
    temperature: "inferenceConfig.temperature",
    topP: "inferenceConfig.topP",
    topK: "additionalModelRequestFields",
    serviceTier: "serviceTier",
  },
  refused: ["choices", "logProbabilities", "modalities", "audio", "prewarm"],
};

/** Renders a vendor's request. The address contains the model and selects streaming. */
export function renderRequest(clientRequest: TextRequest, target: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const accepted = withAcceptedToolChoice(clientRequest, target.model, unsupported);
  const request = withoutForeignSteps(accepted, "converse", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const { model } = target;
  const context = { unsupported, names: new DocumentNames(), cachePoints: acceptsCachePoints(model) };
  const { system, messages } = renderTurns(request, model, context);
  const { fields, maxTokens, fixesSampling } = renderThinking(request, target, messages, unsupported);
  const sampling = renderSampling(request, model, fixesSampling, unsupported);
  const stop = request.stop !== undefined && request.stop.length > 0 ? request.stop : undefined;
  const more = { ...fields, ...sampling.fields };
  const body = withoutUndefined({
    system,
    messages,
    inferenceConfig: unlessEmpty({ maxTokens, ...sampling.inference, stopSequences: stop }),
    toolConfig: renderToolConfig(request, context),
    outputConfig: renderOutput(request, unsupported),
    additionalModelRequestFields: unlessEmpty(more),
    // Without this member, the answer does not report its stop sequence.
    additionalModelResponseFieldPaths: stop !== undefined && isClaude(model) ? ["/stop_sequence"] : undefined,
    serviceTier: renderTier(request, unsupported),
  });
  return { body, dropped: unsupported.names };
}

/**
 * Renders sampling parameters. Claude refuses them with thinking, and its newest models always refuse them. Some of its
 * models accept only one of temperature and top_p.
 */
function renderSampling(
  { temperature, topP, topK }: TextRequest,
  model: string,
  fixed: boolean,
  unsupported: Unsupported,
): { readonly inference: JsonRecord; readonly fields: JsonRecord } {
  if (temperature !== undefined && temperature > 1)
    throw unsupportedFailure("temperature", "The vendor of this model accepts a temperature from 0 to 1.");
  const acceptsSampling = !fixed && !(isClaude(model) && adaptiveModel(model) !== undefined);
  const acceptsTopP =
    acceptsSampling && !(temperature !== undefined && isClaude(model) && acceptsOnlyOneSamplingParameter(model));
  const inference = { temperature: acceptsSampling ? temperature : undefined, topP: acceptsTopP ? topP : undefined };
  // 1 is the default of both parameters.
  unsupported.noteIf("temperature", isDropped(temperature, inference.temperature));
  unsupported.noteIf("topP", isDropped(topP, inference.topP));
  return { inference, fields: renderTopK(topK, acceptsSampling ? topKMember(model) : undefined, unsupported) };
}

function isDropped(requested: number | undefined, rendered: number | undefined): boolean {
  return requested !== undefined && requested !== 1 && rendered === undefined;
}

function renderTopK(
  topK: number | undefined,
  member: ReturnType<typeof topKMember>,
  unsupported: Unsupported,
): JsonRecord {
  unsupported.noteIf("topK", member === undefined && topK !== undefined);
  if (topK === undefined || member === undefined) return {};
  return member === "top_k" ? { top_k: topK } : { inferenceConfig: { topK } };
}

function renderOutput({ format }: TextRequest, unsupported: Unsupported): JsonRecord | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json")
    throw unsupportedFailure("format", "The vendor of this model supports JSON output only with a schema.");
  unsupported.noteIf("format.strict", format.strict);
  const { schema, name, description } = format;
  const jsonSchema = withoutUndefined({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

const tiers: ReadonlySet<string> = new Set(["default", "flex", "priority", "reserved"]);

function renderTier({ serviceTier }: TextRequest, unsupported: Unsupported): JsonRecord | undefined {
  if (serviceTier === undefined || serviceTier === "auto") return undefined;
  if (tiers.has(serviceTier)) return { type: serviceTier };
  unsupported.note("serviceTier");
  return undefined;
}

const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

const noParameters: JsonRecord = { type: "object", properties: {} };

/**
 * Renders the tools and the tool choice. The vendor requires a declaration of every tool that the history calls. The
 * wire cannot express the choice `none`.
 */
function renderToolConfig(request: TextRequest, context: ConversePartContext): JsonRecord | undefined {
  const { tools = [], toolChoice } = request;
  const calledTools = calledToolNames(request);
  const hidesTools = toolChoice?.mode === "none" && calledTools.length === 0;
  context.unsupported.noteIf("toolChoice", toolChoice !== undefined && tools.length === 0);
  context.unsupported.noteIf("toolChoice", toolChoice?.mode === "none" && tools.length > 0 && !hidesTools);
  if (hidesTools) return undefined;
  const offered = offeredTools(request);
  const all =
    offered.length > 0
      ? offered.flatMap((tool) => renderTool(tool, context))
      : calledTools.map((name) => ({
          toolSpec: { name: requireToolName(name, toolNamePattern), inputSchema: { json: noParameters } },
        }));
  return all.length > 0 ? withoutUndefined({ tools: all, toolChoice: renderChoice(offered, toolChoice) }) : undefined;
}

function calledToolNames({ turns }: TextRequest): readonly string[] {
  const parts = turns.flatMap((turn) => turn.parts);
  return [...new Set(parts.flatMap((part) => (part.kind === "tool-call" ? [part.name] : [])))];
}

function renderTool(tool: Tool, context: ConversePartContext): readonly JsonRecord[] {
  if (tool.kind === "web-search") return []; // already left out
  if (tool.kind === "vendor") return [requireToolOfWire(tool, "converse")];
  const { description } = tool;
  const name = requireToolName(tool.name, toolNamePattern);
  if (tool.kind === "custom") {
    context.unsupported.noteIf("tools.format", tool.format);
    return [{ toolSpec: withoutUndefined({ name, description, inputSchema: { json: customParameters } }) }];
  }
  const toolSpec = withoutUndefined({
    name,
    description: description === "" ? undefined : description,
    inputSchema: { json: tool.parameters ?? noParameters },
    strict: tool.strict === true ? true : undefined,
  });
  return withCachePoint([{ toolSpec }], tool.cache, context);
}

function renderChoice(offered: readonly Tool[], choice: TextRequest["toolChoice"]): JsonRecord | undefined {
  if (choice === undefined || choice.mode === "none" || offered.length === 0) return undefined;
  if (forcesSingleTool(choice)) return { tool: { name: choice.names?.[0] } };
  return choice.mode === "required" ? { any: {} } : { auto: {} };
}

interface ConverseThinking {
  /** Members for `additionalModelRequestFields`, which depend on the model. */
  readonly fields: JsonRecord;
  /** Output limit, reasoning included. */
  readonly maxTokens: number | undefined;
  /** True if the model refuses sampling parameters with this reasoning. */
  readonly fixesSampling: boolean;
}

const nearestOfThreeEfforts = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const satisfies Record<Exclude<Effort, "none">, string>;

/** Renders reasoning. Reports it as lost if the model does not support it. */
export function renderThinking(
  request: TextRequest,
  target: TextTarget,
  messages: readonly Message[],
  unsupported: Unsupported,
): ConverseThinking {
  const { reasoning = {}, maxTokens } = request;
  const withoutReasoning: ConverseThinking = { fields: {}, maxTokens, fixesSampling: false };
  if (isClaude(target.model)) {
    const bounded = { ...request, maxTokens: maxTokens ?? target.defaultMaxTokens };
    const claude = renderClaudeThinking(bounded, target, { messages, form: converseBlocks }, unsupported);
    const fields = withoutUndefined({
      thinking: claude.thinking,
      output_config: claude.effort === undefined ? undefined : { effort: claude.effort },
    });
    if (claude.on) return { fields, maxTokens: claude.maxTokens, fixesSampling: true };
    // Models that are not adaptive reason only on request, and the oldest do not accept the member.
    return adaptiveModel(target.model) === undefined ? withoutReasoning : { ...withoutReasoning, fields };
  }
  const effort = reasoningEffort(reasoning);
  if ((effort === undefined && reasoning.budgetTokens === undefined) || effort === "none") return withoutReasoning;
  const level = nearestOfThreeEfforts[effort ?? "medium"];
  const fields = effortFields(target.model, level);
  unsupported.noteIf("reasoning", fields === undefined || level !== (effort ?? level));
  return { ...withoutReasoning, fields: fields ?? {} };
}

function effortFields(model: string, level: string): JsonRecord | undefined {
  if (/amazon\.nova-(?:[2-9]|premier-v[2-9])/.test(model))
    return { reasoningConfig: { type: "enabled", maxReasoningEffort: level } };
  return /openai\.gpt-oss/.test(model) ? { reasoning_effort: level } : undefined;
}

function isClaude(model: string): boolean {
  return model.includes("anthropic.claude");
}

/**
 * Returns true for models that accept cache points, and for the ARN of a profile, which does not contain the model's
 * name.
 */
function acceptsCachePoints(model: string): boolean {
  return isClaude(model) || model.includes("amazon.nova") || model.includes("application-inference-profile/");
}

function topKMember(model: string): "top_k" | "inferenceConfig" | undefined {
  if (isClaude(model)) return "top_k";
  return model.includes("amazon.nova") ? "inferenceConfig" : undefined;
}
