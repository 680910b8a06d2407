import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Rendered } from "../../wire.ts";
import type { TextTarget } from "../hub/wire.ts";
import type { FieldSupport, TextRequest, Tool } from "../hub/request.ts";
import { unsupportedFailure, unsupportedFields, Unsupported, searchToolName } from "../hub/request.ts";
import { withoutForeignSteps } from "../hub/foreign-steps.ts";
import { requireToolOfWire, unlessEmpty, requireToolName } from "../hub/render.ts";
import { customParameters } from "../hub/tool-calls.ts";
import { renderVoice } from "./sources.ts";
import { renderThinking } from "./thinking.ts";
import { renderTurns } from "./vendor-turns.ts";

export const fieldSupport: FieldSupport = {
  spelling: {
    tools: "tools",
    toolChoice: "toolConfig.functionCallingConfig",
    maxTokens: "generationConfig.maxOutputTokens",
    stop: "generationConfig.stopSequences",
    format: "generationConfig.responseJsonSchema",
    reasoning: "generationConfig.thinkingConfig",
    temperature: "generationConfig.temperature",
    topP: "generationConfig.topP",
    topK: "generationConfig.topK",
    presencePenalty: "generationConfig.presencePenalty",
    frequencyPenalty: "generationConfig.frequencyPenalty",
    seed: "generationConfig.seed",
    choices: "generationConfig.candidateCount",
    logProbabilities: "generationConfig.logprobs",
    modalities: "generationConfig.responseModalities",
    image: "generationConfig.imageConfig",
    audio: "generationConfig.speechConfig",
  },
  refused: ["prewarm"],
};

const maxStops = 5;

/** Renders a vendor's request. The path contains the model and selects streaming. */
export function renderRequest(clientRequest: TextRequest, target: TextTarget): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSteps(clientRequest, "content", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const generationConfig = renderGeneration(request, target.model, unsupported);
  const { contents, systemInstruction } = renderTurns(request, target.model, unsupported);
  const body = withoutUndefined({
    systemInstruction,
    contents,
    tools: renderTools(request.tools, unsupported),
    toolConfig: renderToolConfig(request, unsupported),
    generationConfig,
  });
  return { body, dropped: unsupported.names };
}

function renderGeneration(request: TextRequest, model: string, unsupported: Unsupported): JsonRecord | undefined {
  if ((request.stop?.length ?? 0) > maxStops) throw unsupportedFailure("stop", `At most ${maxStops} stop sequences.`);
  return unlessEmpty({
    maxOutputTokens: request.maxTokens,
    stopSequences: request.stop,
    ...renderFormat(request, unsupported),
    thinkingConfig: request.reasoning === undefined ? undefined : renderThinking(request.reasoning, model, unsupported),
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    candidateCount: request.choices,
    responseLogprobs: request.logProbabilities === undefined ? undefined : true,
    // Some models refuse an explicit zero.
    logprobs: request.logProbabilities?.alternatives === 0 ? undefined : request.logProbabilities?.alternatives,
    responseModalities: request.modalities?.map((kind) => kind.toUpperCase()),
    imageConfig:
      request.image && withoutUndefined({ aspectRatio: request.image.aspectRatio, imageSize: request.image.size }),
    speechConfig: renderSpeech(request, unsupported),
  });
}

function renderFormat({ format }: TextRequest, unsupported: Unsupported): JsonRecord {
  if (format === undefined) return {};
  if (format.kind === "json") return { responseMimeType: "application/json" };
  unsupported.noteMembers("format", format, ["name", "description", "strict"]);
  return { responseMimeType: "application/json", responseJsonSchema: format.schema };
}

function renderSpeech({ audio }: TextRequest, unsupported: Unsupported): JsonRecord | undefined {
  if (audio === undefined) return undefined;
  const { voice, ...others } = audio;
  for (const name of Object.keys(others)) unsupported.note(`audio.${name}`);
  const speech = typeof voice === "string" ? renderVoice(voice) : undefined;
  if (speech === undefined) unsupported.noteIf("audio.voice", voice);
  return speech;
}

const functionNamePattern = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

/**
 * Renders tools. With functions, the vendor requires later requests to repeat every step of its search, which clients
 * of other wires do not do. Their web search is then dropped.
 */
function renderTools(tools: readonly Tool[] | undefined, unsupported: Unsupported): readonly JsonRecord[] | undefined {
  const functionDeclarations = (tools ?? []).flatMap((tool) => renderDeclaration(tool, unsupported));
  const entries = [
    ...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []),
    ...(tools ?? []).flatMap((tool) => renderVendorTool(tool, functionDeclarations.length > 0, unsupported)),
  ];
  return entries.length > 0 ? entries : undefined;
}

function renderDeclaration(tool: Tool, unsupported: Unsupported): readonly JsonRecord[] {
  if (tool.kind !== "function" && tool.kind !== "custom") return [];
  const { description } = tool;
  const name = requireToolName(tool.name, functionNamePattern);
  if (tool.kind === "custom") {
    unsupported.noteIf("tools.format", tool.format);
    return [withoutUndefined({ name, description, parametersJsonSchema: customParameters })];
  }
  unsupported.noteMembers("tools", tool, ["strict", "cache"]);
  return [withoutUndefined({ name, description, parametersJsonSchema: parametersUnlessEmpty(tool.parameters) })];
}

/** Returns a function's schema; undefined for an object without properties, which the vendor refuses. */
function parametersUnlessEmpty(parameters: JsonRecord | undefined): JsonRecord | undefined {
  if (parameters === undefined) return undefined;
  const { type, properties, ...rest } = parameters;
  const empty = typeof properties !== "object" || properties === null || Object.keys(properties).length === 0;
  const hasOthers = Object.keys(rest).some((name) => name !== "additionalProperties" && name !== "required");
  return (type === undefined || type === "object") && empty && !hasOthers ? undefined : parameters;
}

function renderVendorTool(tool: Tool, hasFunctions: boolean, unsupported: Unsupported): readonly JsonRecord[] {
  if (tool.kind === "web-search") {
    const isContentTool = tool.wire === "content";
    if (!isContentTool && hasFunctions) {
      unsupported.note("tools.web-search");
      return [];
    }
    unsupported.noteIf("tools.web-search.options", !isContentTool && Object.keys(tool.options).length > 0);
    return [{ googleSearch: isContentTool ? tool.options : {} }];
  }
  return tool.kind === "vendor" ? [{ [tool.name]: requireToolOfWire(tool, "content") }] : [];
}

const toolChoiceModes = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

function renderToolConfig({ tools, toolChoice }: TextRequest, unsupported: Unsupported): JsonRecord | undefined {
  if (toolChoice === undefined) return undefined;
  if (tools?.some(({ kind }) => kind === "function" || kind === "custom") !== true) {
    unsupported.note("toolChoice");
    return undefined;
  }
  const { mode } = toolChoice;
  const searches = tools.some(({ kind }) => kind === "web-search");
  // The vendor's own search cannot be forced.
  const names = toolChoice.names?.filter((name) => !searches || name !== searchToolName);
  unsupported.noteIf("toolChoice", names?.length !== toolChoice.names?.length);
  if (names?.length === 0) return undefined;
  const areNamed = names !== undefined && mode !== "none";
  const functionCallingConfig = withoutUndefined({
    mode: areNamed && mode === "auto" ? "VALIDATED" : toolChoiceModes[mode],
    allowedFunctionNames: areNamed ? names : undefined,
  });
  return { functionCallingConfig };
}
