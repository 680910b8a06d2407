import { isAgent, withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Rendered } from "../../wire.ts";
import { unsupportedFields, Unsupported, reasoningEffort, searchToolName } from "../hub/request.ts";
import type { FieldSupport, OutputFormat, TextRequest, Turn } from "../hub/request.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import { acceptedLevel } from "../hub/gemini.ts";
import { requireToolOfWire, renderToolBy, unlessEmpty, requireItemOfWire, refuseCompaction } from "../hub/render.ts";
import type { ToolRenderers } from "../hub/render.ts";
import { customParameters } from "../hub/tool-calls.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { Part, ToolResultPart } from "../hub/part.ts";
import { allInstructions, pairedTurns } from "../hub/paired-turns.ts";
import { ownSignature } from "../hub/signatures.ts";
import { callStep, contentOf } from "./parts.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "tools",
    toolChoice: "generation_config.tool_choice",
    maxTokens: "generation_config.max_output_tokens",
    stop: "generation_config.stop_sequences",
    format: "response_format",
    reasoning: "generation_config.thinking_level",
    temperature: "generation_config.temperature",
    topP: "generation_config.top_p",
    seed: "generation_config.seed",
    modalities: "response_modalities",
    image: "response_format",
    audio: "generation_config.speech_config",
    serviceTier: "service_tier",
  },
  refused: ["prewarm"],
};

/** Renders a vendor's request. The vendor stores only the answers of agents. */
export function renderRequest(clientRequest: TextRequest, { model }: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSteps(clientRequest, "interactions", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const { input, ...system } = renderTurns(request, unsupported);
  const config = renderGeneration(request, model, unsupported);
  const agent = isAgent(model);
  // Agents do not accept `generation_config`.
  if (agent) for (const name of Object.keys(config ?? {})) unsupported.note(agentLosses[name] ?? name);
  const body = withoutUndefined({
    ...(agent ? { agent: model, background: true, store: true } : { model, store: false }),
    stream: request.stream ? true : undefined,
    ...system,
    input,
    tools: renderTools(request, unsupported),
    response_format: renderFormats(request, unsupported),
    generation_config: agent ? undefined : config,
    service_tier: renderTier(request.serviceTier, unsupported),
  });
  return { body, dropped: unsupported.names };
}

/** Fields of the neutral form that an agent loses, by their members of `generation_config`. */
const agentLosses: Readonly<Record<string, string>> = {
  max_output_tokens: "maxTokens",
  stop_sequences: "stop",
  thinking_level: "reasoning",
  thinking_summaries: "reasoning",
  top_p: "topP",
  tool_choice: "toolChoice",
  speech_config: "audio",
};

function renderGeneration(request: TextRequest, model: string, unsupported: Unsupported): JsonRecord | undefined {
  const { reasoning, audio } = request;
  const effort = reasoning === undefined ? undefined : reasoningEffort(reasoning);
  const level = effort === undefined ? undefined : acceptedLevel(effort, model);
  unsupported.noteIf("reasoning", level !== effort);
  const { voice, ...others } = audio ?? {};
  for (const name of Object.keys(others)) unsupported.note(`audio.${name}`);
  const showsReasoning =
    reasoning?.show === undefined ? effort !== undefined && effort !== "none" : reasoning.show !== "none";
  return unlessEmpty({
    max_output_tokens: request.maxTokens,
    stop_sequences: request.stop,
    thinking_level: level,
    thinking_summaries: reasoning === undefined ? undefined : showsReasoning ? "auto" : "none",
    temperature: request.temperature,
    top_p: request.topP,
    seed: request.seed,
    tool_choice: renderToolChoice(request, unsupported),
    speech_config: voice === undefined ? undefined : [{ voice }],
  });
}

const modes = { auto: "auto", none: "none", required: "any" } as const;

/** Renders the tool choice. The vendor's search cannot be chosen. */
function renderToolChoice({ tools, toolChoice }: TextRequest, unsupported: Unsupported): unknown {
  if (toolChoice === undefined) return undefined;
  if (tools?.some(({ kind }) => kind === "function" || kind === "custom") !== true) {
    unsupported.note("toolChoice");
    return undefined;
  }
  const mode = modes[toolChoice.mode];
  const names = toolChoice.names?.filter((name) => name !== searchToolName);
  unsupported.noteIf("toolChoice", names?.length !== toolChoice.names?.length);
  return names === undefined || names.length === 0 ? mode : { allowed_tools: { mode, tools: names } };
}

const toolRenderers: ToolRenderers = {
  function(tool, unsupported) {
    const { name, description, parameters } = tool;
    unsupported.noteMembers("tools", tool, ["strict", "cache"]);
    return withoutUndefined({ type: "function", name, description, parameters });
  },
  custom({ name, description, format }, unsupported) {
    unsupported.noteIf("tools.format", format);
    return withoutUndefined({ type: "function", name, description, parameters: customParameters });
  },
  "web-search"({ wire, options }, unsupported) {
    const isOwnTool = wire === "interactions";
    unsupported.noteIf("tools.web-search.options", !isOwnTool && Object.keys(options).length > 0);
    return { type: "google_search", ...(isOwnTool ? options : {}) };
  },
  vendor: (tool) => requireToolOfWire(tool, "interactions"),
};

/**
 * Renders tools. With functions, the vendor requires the steps of its search in later requests, which clients of other
 * wires do not send. Their web search is then dropped.
 */
function renderTools({ tools }: TextRequest, unsupported: Unsupported): readonly JsonRecord[] | undefined {
  const hasFunctions = tools?.some(({ kind }) => kind === "function" || kind === "custom") === true;
  const supportedTools = tools?.filter(
    (tool) => !(hasFunctions && tool.kind === "web-search" && tool.wire !== "interactions"),
  );
  unsupported.noteIf("tools.web-search", supportedTools?.length !== tools?.length);
  return supportedTools === undefined || supportedTools.length === 0
    ? undefined
    : supportedTools.map((tool) => renderToolBy(toolRenderers, tool, unsupported));
}

function renderFormats({ format, modalities = [], image }: TextRequest, unsupported: Unsupported): unknown {
  const forms: JsonRecord[] = format === undefined ? [] : [renderFormat(format, unsupported)];
  if (format === undefined && modalities.length > 1 && modalities.includes("text")) forms.push({ type: "text" });
  if (image !== undefined || modalities.includes("image"))
    forms.push(withoutUndefined({ type: "image", aspect_ratio: image?.aspectRatio, image_size: image?.size }));
  if (modalities.includes("audio")) forms.push({ type: "audio" });
  return forms.length > 1 ? forms : forms[0];
}

function renderFormat(format: OutputFormat, unsupported: Unsupported): JsonRecord {
  if (format.kind === "json") return { type: "text", mime_type: "application/json" };
  unsupported.noteMembers("format", format, ["name", "description", "strict"]);
  return { type: "text", mime_type: "application/json", schema: format.schema };
}

const tiers: ReadonlySet<string> = new Set(["flex", "priority", "deferred"]);

function renderTier(tier: string | undefined, unsupported: Unsupported): string | undefined {
  if (tier === undefined || tier === "auto") return undefined;
  if (tier === "default") return "standard";
  unsupported.noteIf("serviceTier", !tiers.has(tier));
  return tiers.has(tier) ? tier : undefined;
}

/** Renders steps and instructions. */
export function renderTurns(request: TextRequest, unsupported: Unsupported) {
  const system = allInstructions(request, unsupported)
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n\n");
  const input = new Steps(unsupported);
  for (const { role, parts } of pairedTurns(request.turns.filter((turn) => turn.role !== "system")))
    for (const part of parts)
      if (part.kind === "tool-result") input.answer(part);
      else input.add(role, part);
  if (input.steps.length === 0) return { input: system };
  return { input: input.steps, ...(system === "" ? {} : { system_instruction: system }) };
}

/** Collects the steps of a request. Adjacent contents of one role become one step. */
class Steps {
  readonly steps: JsonRecord[] = [];
  readonly #unsupported: Unsupported;
  /** Last step, if further contents can be added to it. */
  #open: { readonly type: string; readonly content: JsonRecord[] } | undefined;

  constructor(unsupported: Unsupported) {
    this.#unsupported = unsupported;
  }

  answer({ callId, name, parts, isError, cache }: ToolResultPart): void {
    this.#unsupported.noteIf("tool-result.cache", cache);
    const isText = parts.every(({ kind }) => kind === "text");
    const result = isText
      ? parts.map((part) => ("text" in part ? part.text : "")).join("\n\n")
      : parts.flatMap((part) => this.#content(part));
    this.#step(withoutUndefined({ type: "function_result", call_id: callId, name, result, is_error: isError }));
  }

  add(role: Turn["role"], part: Exclude<Part, ToolResultPart>): void {
    if (part.kind === "compaction") return refuseCompaction();
    if (part.kind === "vendor") return this.#step(requireItemOfWire(part, "interactions"));
    if (part.kind === "tool-call") return this.#step(callStep(part));
    if (part.kind === "reasoning") return this.#thought(part.text, ownSignature(part.signature, "interactions"));
    for (const content of this.#content(part))
      this.#join(role === "assistant" ? "model_output" : "user_input", content);
  }

  #thought(text: string, signature: string | undefined): void {
    this.#unsupported.noteIf("turn.reasoning", signature === undefined);
    if (signature === undefined) return;
    const summary = text === "" ? undefined : [{ type: "text", text }];
    this.#step(withoutUndefined({ type: "thought", summary, signature }));
  }

  /** Renders the content of a part. An empty text is left out, because the vendor refuses it. */
  #content(part: Part): readonly JsonRecord[] {
    if ("cache" in part) this.#unsupported.noteIf(`${part.kind}.cache`, part.cache);
    if (part.kind === "file") this.#unsupported.noteMembers("file", part, ["name", "title", "context", "citations"]);
    if ("text" in part && part.text === "") return [];
    const content = contentOf(part);
    return content === undefined ? [] : [content];
  }

  #step(step: JsonRecord): void {
    this.#open = undefined;
    this.steps.push(step);
  }

  #join(type: string, content: JsonRecord): void {
    if (this.#open?.type === type) return void this.#open.content.push(content);
    const open = { type, content: [content] };
    this.#step(open);
    this.#open = open;
  }
}
