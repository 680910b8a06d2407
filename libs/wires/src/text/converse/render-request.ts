import { present } from "@modelgate/contracts";
import { takesAdaptiveOnly, takesOneSampling } from "../hub/claude-generations.ts";
import type { Rendered, Target } from "../hub/codec.ts";
import { unsupportedFailure, unsupportedFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { Unsupported } from "../hub/unsupported.ts";
import { fieldSupport } from "./field-support.ts";
import { isClaude, takesCachePoints, topKMember } from "./models.ts";
import { DocumentNames } from "./render-documents.ts";
import { renderToolConfig } from "./render-tools.ts";
import { renderTurns } from "./render-turns.ts";
import { renderThinking } from "./thinking.ts";

/**
 * The request for a vendor of this wire: its address says the model, and whether it streams. Throws Failure
 * unsupported_parameter for what the wire cannot say.
 */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(asked, "converse", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  const { model } = target;
  const context = { unsupported, names: new DocumentNames(), cachePoints: takesCachePoints(model) };
  const { system, messages } = renderTurns(request, context);
  const { fields, maxTokens, fixesSampling } = renderThinking(request, target, messages, unsupported);
  const sampling = renderSampling(request, model, fixesSampling, unsupported);
  const stop = stopOf(request);
  const more = { ...fields, ...sampling.fields };
  const body = present({
    system,
    messages,
    inferenceConfig: unlessEmpty({ maxTokens, ...sampling.inference, stopSequences: stop }),
    toolConfig: renderToolConfig(request, context),
    outputConfig: outputOf(request, unsupported),
    additionalModelRequestFields: unlessEmpty(more),
    // The answer says which of the sequences it was only where it is asked to.
    additionalModelResponseFieldPaths: stop !== undefined && isClaude(model) ? ["/stop_sequence"] : undefined,
    serviceTier: tierOf(request, unsupported),
  });
  return { body, dropped: unsupported.words };
}

function unlessEmpty(members: JsonObject): JsonObject | undefined {
  const given = present(members);
  return Object.keys(given).length > 0 ? given : undefined;
}

function stopOf({ stop }: TextRequest): readonly string[] | undefined {
  return stop !== undefined && stop.length > 0 ? stop : undefined;
}

/** Sampling, as far as the model takes it: beside Claude's thoughts none, and of its newest models one at most. */
function renderSampling(
  { temperature, topP, topK }: TextRequest,
  model: string,
  fixed: boolean,
  unsupported: Unsupported,
): { readonly inference: JsonObject; readonly fields: JsonObject } {
  if (temperature !== undefined && temperature > 1)
    throw unsupportedFailure("temperature", "The vendor of this model takes a temperature from 0 to 1.");
  const free = !fixed && !(isClaude(model) && takesAdaptiveOnly(model));
  const both = free && !(temperature !== undefined && isClaude(model) && takesOneSampling(model));
  const inference = { temperature: free ? temperature : undefined, topP: both ? topP : undefined };
  // One is the default of both.
  unsupported.noteIf("temperature", isLost(temperature, inference.temperature));
  unsupported.noteIf("topP", isLost(topP, inference.topP));
  return { inference, fields: renderTopK(topK, free ? topKMember(model) : undefined, unsupported) };
}

function isLost(given: number | undefined, kept: number | undefined): boolean {
  return given !== undefined && given !== 1 && kept === undefined;
}

function renderTopK(
  topK: number | undefined,
  member: ReturnType<typeof topKMember>,
  unsupported: Unsupported,
): JsonObject {
  unsupported.noteIf("topK", member === undefined && topK !== undefined);
  if (topK === undefined || member === undefined) return {};
  return member === "top_k" ? { top_k: topK } : { inferenceConfig: { topK } };
}

function outputOf({ format }: TextRequest, unsupported: Unsupported): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json")
    throw unsupportedFailure("format", "The vendor of this model gives JSON by a schema only.");
  unsupported.noteIf("format.strict", format.strict);
  const { schema, name, description } = format;
  const jsonSchema = present({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

const tiers: ReadonlySet<string> = new Set(["default", "flex", "priority", "reserved"]);

function tierOf({ serviceTier }: TextRequest, unsupported: Unsupported): JsonObject | undefined {
  if (serviceTier === undefined || serviceTier === "auto") return undefined;
  if (tiers.has(serviceTier)) return { type: serviceTier };
  unsupported.note("serviceTier");
  return undefined;
}
