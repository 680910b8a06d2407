import { present } from "@modelgate/contracts";
import type { Rendered, Target } from "../hub/codec.ts";
import { unsupportedFailure, unsupportedFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { withCacheMarks } from "./cache-marks.ts";
import { fieldSupport } from "./field-support.ts";
import { renderTools, renderToolChoice } from "./render-tools.ts";
import { renderTurns } from "./render-turns.ts";
import { renderSampling } from "./sampling.ts";
import { renderThinking } from "./thinking.ts";

/** The request for a vendor of this wire. Throws Failure unsupported_parameter for what the wire cannot say. */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(asked, "messages", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const turns = renderTurns(withFormatInWords(request, unsupported), unsupported);
  const { system, messages } = withCacheMarks(turns, request);
  const { thinking, effort, maxTokens, on } = renderThinking(request, target, messages, unsupported);
  const body = present({
    model: target.model,
    max_tokens: maxTokens,
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
  return { body, dropped: unsupported.words };
}

/** The vendor gives JSON by a schema only: without one the model is asked for it in words, and the member is named as lost. */
function withFormatInWords(request: TextRequest, unsupported: Unsupported): TextRequest {
  if (request.format?.kind !== "json") return request;
  unsupported.note("format");
  const words = { kind: "text", text: "Answer with one JSON object and nothing else." } as const;
  return { ...request, instructions: [...request.instructions, words] };
}

/** The vendor refuses a sequence of white space only. */
function renderStop({ stop }: TextRequest): readonly string[] | undefined {
  if (stop?.some((sequence) => sequence.trim() === "") === true)
    throw unsupportedFailure("stop", "The vendor of this model cannot stop at white space only.");
  return stop !== undefined && stop.length > 0 ? stop : undefined;
}

function renderOutput(
  { format }: TextRequest,
  effort: string | undefined,
  unsupported: Unsupported,
): JsonObject | undefined {
  if (format === undefined || format.kind === "json") return effort === undefined ? undefined : { effort };
  unsupported.noteIf("format.name", format.name);
  unsupported.noteIf("format.description", format.description);
  unsupported.noteIf("format.strict", format.strict);
  return present({ effort, format: { type: "json_schema", schema: format.schema } });
}

function renderTier({ serviceTier }: TextRequest, unsupported: Unsupported): string | undefined {
  if (serviceTier === "auto") return serviceTier;
  if (serviceTier === "default" || serviceTier === "standard_only") return "standard_only";
  unsupported.noteIf("serviceTier", serviceTier);
  return undefined;
}
