import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { FieldSupport, TextRequest, NamespacedTool, Tool } from "../hub/request.ts";
import { unsupportedFailure, unsupportedFields, Unsupported, reasoningEffort } from "../hub/request.ts";
import {
  openAiEffort,
  rulesOfModel,
  acceptsReasoning,
  withAcceptedSampling,
  withAcceptedTier,
} from "../hub/openai-models.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import { adaptCacheMarks, isBreakpoint, renderCaching } from "../hub/prompt-cache.ts";
import { toolChoiceName, requireToolOfWire, renderToolBy, unlessEmpty, type ToolRenderers } from "../hub/render.ts";
import { localNames, namespaceOf, renderSearch } from "./tools.ts";
import { renderTurns } from "./vendor-turns.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "tools",
    toolChoice: "tool_choice",
    parallelTools: "parallel_tool_calls",
    maxTokens: "max_output_tokens",
    format: "text.format",
    reasoning: "reasoning",
    temperature: "temperature",
    topP: "top_p",
    logProbabilities: "top_logprobs",
    modalities: "tools",
    verbosity: "text.verbosity",
    cacheKey: "prompt_cache_key",
    cacheRetention: "prompt_cache_retention",
    cacheMode: "prompt_cache_options",
    prewarm: "prompt_cache_options.prewarm",
    metadata: "metadata",
    user: "user",
    safetyIdentifier: "safety_identifier",
    serviceTier: "service_tier",
  },
  refused: ["stop", "choices", "audio"],
};

export const minOutputTokens = 16;

const summaryByShow = { none: undefined, summary: "auto", full: "detailed" } as const;

/** Renders a vendor's request, which asks the vendor to store nothing. Throws Failure unsupported_parameter. */
export function renderRequest(clientRequest: TextRequest, target: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const sampled = withAcceptedSampling(clientRequest, target.model, unsupported);
  const accepted = withAcceptedTier(sampled, target.model, unsupported);
  const request = withoutForeignSteps(adaptCacheMarks(target.model, accepted, unsupported), "responses", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  if (request.modalities?.includes("audio") === true) throw unsupportedFailure("modalities");
  // Some models read `instructions` last and for one turn only, and only messages can have breakpoints. In both cases,
  // all instructions become messages.
  const [first, ...others] = request.instructions;
  const areMessages = rulesOfModel(target.model)?.instructsLast === true || request.instructions.some(isBreakpoint);
  const messageInstructions = areMessages ? request.instructions : others;
  const instructions = messageInstructions === others ? first : undefined;
  unsupported.noteIf("text.cache", instructions?.cache);
  const body = withoutUndefined({
    model: target.model,
    instructions: instructions?.text,
    input: renderTurns({ ...request, instructions: messageInstructions }, unsupported),
    stream: request.stream ? true : undefined,
    store: false,
    tools: renderTools(request, unsupported),
    tool_choice: renderToolChoice(request, unsupported),
    parallel_tool_calls: request.parallelTools,
    max_output_tokens: renderOutputLimit(request, unsupported),
    temperature: request.temperature,
    top_p: request.topP,
    reasoning: renderReasoning(request, target.model, unsupported),
    text: renderText(request),
    include: renderInclude(request, target.model),
    top_logprobs: request.logProbabilities?.alternatives,
    prompt_cache_key: request.cacheKey,
    ...renderCaching(request, target.model, "responses", unsupported),
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    service_tier: request.serviceTier,
  });
  return { body, dropped: unsupported.names };
}

/** Returns the output limit. The vendor refuses limits below `minOutputTokens`. */
function renderOutputLimit({ maxTokens }: TextRequest, unsupported: Unsupported): number | undefined {
  unsupported.noteIf("maxTokens", maxTokens !== undefined && maxTokens < minOutputTokens);
  return maxTokens === undefined ? undefined : Math.max(maxTokens, minOutputTokens);
}

function renderReasoning(request: TextRequest, model: string, unsupported: Unsupported): JsonRecord | undefined {
  const effort = openAiEffort(request, model, "responses", unsupported);
  const { show } = request.reasoning ?? {};
  if (request.reasoning === undefined || !acceptsReasoning(model)) return undefined;
  return unlessEmpty({ effort, summary: show === undefined ? undefined : summaryByShow[show] });
}

function renderText({ format, verbosity }: TextRequest): JsonRecord | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return withoutUndefined({ format: renderFormat(format), verbosity });
}

function renderFormat(format: TextRequest["format"]): JsonRecord | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return withoutUndefined({ type: "json_schema", name: name ?? "answer", description, schema, strict });
}

/** Renders `include`. Models without reasoning refuse a request for encrypted reasoning. */
function renderInclude({ reasoning, logProbabilities }: TextRequest, model: string): readonly string[] | undefined {
  const thinks = reasoning !== undefined && reasoningEffort(reasoning) !== "none" && acceptsReasoning(model);
  const include = [
    ...(thinks ? ["reasoning.encrypted_content"] : []),
    ...(logProbabilities === undefined ? [] : ["message.output_text.logprobs"]),
  ];
  return include.length > 0 ? include : undefined;
}

/** Renders tools. A request for images becomes a tool, which makes images on this wire. */
function renderTools({ tools, modalities }: TextRequest, unsupported: Unsupported): readonly JsonRecord[] | undefined {
  const images = modalities?.includes("image") === true ? [{ type: "image_generation" }] : [];
  const sets = setsOf(tools ?? []).flatMap(({ within, members }) => {
    const rendered = members.map((tool) => renderToolBy(toolRenderers, tool, unsupported));
    return within === undefined ? rendered : [namespaceOf(within, rendered)];
  });
  const all = [...sets, ...images];
  return all.length > 0 ? all : undefined;
}

interface ToolSet {
  readonly within: NamespacedTool | undefined;
  readonly members: Tool[];
}

function setsOf(tools: readonly Tool[]): readonly ToolSet[] {
  const sets: ToolSet[] = [];
  for (const tool of tools) {
    const within = tool.kind === "function" || tool.kind === "custom" ? tool.within : undefined;
    const last = sets.at(-1);
    if (last?.within?.namespace === within?.namespace && last !== undefined) last.members.push(tool);
    else sets.push({ within, members: [tool] });
  }
  return sets;
}

const toolRenderers: ToolRenderers = {
  function: ({ name, description, parameters, strict, cache, within }, unsupported) => {
    unsupported.noteIf("tools.cache", cache);
    // The vendor's default of `strict` is true, and that of all other wires is false.
    return withoutUndefined({
      type: "function",
      ...renderNamespace(within ?? { name, description }),
      parameters: parameters ?? null,
      strict: strict ?? false,
    });
  },
  custom: ({ name, description, format, within }) =>
    withoutUndefined({ type: "custom", ...renderNamespace(within ?? { name, description }), format }),
  "web-search": renderSearch,
  vendor: (tool) => requireToolOfWire(tool, "responses"),
};

function renderNamespace({ name, description }: Pick<NamespacedTool, "name" | "description">): JsonRecord {
  return { name, description };
}

/** Renders the tool choice, which the vendor refuses without tools. */
function renderToolChoice({ tools, toolChoice }: TextRequest, unsupported: Unsupported): unknown {
  if (toolChoice === undefined) return undefined;
  if (tools === undefined || tools.length === 0) {
    unsupported.note("toolChoice");
    return undefined;
  }
  const { mode, names } = toolChoice;
  if (names === undefined || mode === "none") return mode;
  const local = localNames(tools);
  const chosenTools = names.map((name) => {
    const type = typeOf(tools, name);
    return type === "function" || type === "custom" ? { type, ...(local.get(name) ?? { name }) } : { type };
  });
  return mode === "required" && chosenTools.length === 1
    ? chosenTools[0]
    : { type: "allowed_tools", mode, tools: chosenTools };
}

function typeOf(tools: readonly Tool[], name: string): string {
  const tool = tools.find((each) => toolChoiceName(each) === name);
  if (tool?.kind === "web-search") return "web_search";
  return tool?.kind === "custom" || tool?.kind === "vendor" ? (tool.kind === "custom" ? "custom" : name) : "function";
}
