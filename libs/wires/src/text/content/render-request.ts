import { present } from "@modelgate/contracts";
import type { Rendered, Target } from "../hub/codec.ts";
import { unsupportedFailure, unsupportedFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { fieldSupport } from "./field-support.ts";
import { renderTurns } from "./render-turns.ts";
import { renderToolConfig, renderTools } from "./render-tools.ts";
import { renderThinking } from "./thinking.ts";
import { renderVoice } from "./voices.ts";

/** Stop sequences that the vendor takes. */
const mostStops = 5;

/**
 * The request for a vendor of this wire; model and streaming are in its path. Throws Failure unsupported_parameter
 * for what the wire cannot say.
 */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(asked, "content", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const config = renderGeneration(request, target.model, unsupported);
  const { contents, systemInstruction } = renderTurns(request, target.model, unsupported);
  const body = present({
    systemInstruction,
    contents,
    tools: renderTools(request.tools, unsupported),
    toolConfig: renderToolConfig(request, unsupported),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  });
  return { body, dropped: unsupported.words };
}

function renderGeneration(request: TextRequest, model: string, unsupported: Unsupported): JsonObject {
  if ((request.stop?.length ?? 0) > mostStops) throw unsupportedFailure("stop", `At most ${mostStops} stop sequences.`);
  return present({
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
    // Zero alternatives are the vendor's default, and refused by some models where said.
    logprobs: request.logProbabilities?.alternatives === 0 ? undefined : request.logProbabilities?.alternatives,
    responseModalities: request.modalities?.map((kind) => kind.toUpperCase()),
    imageConfig: renderImageConfig(request),
    speechConfig: renderSpeech(request, unsupported),
  });
}

function renderFormat({ format }: TextRequest, unsupported: Unsupported): JsonObject {
  if (format === undefined) return {};
  if (format.kind === "json") return { responseMimeType: "application/json" };
  unsupported.noteIf("format.name", format.name);
  unsupported.noteIf("format.description", format.description);
  unsupported.noteIf("format.strict", format.strict);
  return { responseMimeType: "application/json", responseJsonSchema: format.schema };
}

function renderImageConfig({ image }: TextRequest): JsonObject | undefined {
  return image === undefined ? undefined : present({ aspectRatio: image.aspectRatio, imageSize: image.size });
}

function renderSpeech({ audio }: TextRequest, unsupported: Unsupported): JsonObject | undefined {
  if (audio === undefined) return undefined;
  const { voice, ...others } = audio;
  for (const name of Object.keys(others)) unsupported.note(`audio.${name}`);
  const speech = typeof voice === "string" ? renderVoice(voice) : undefined;
  if (speech === undefined) unsupported.noteIf("audio.voice", voice);
  return speech;
}
