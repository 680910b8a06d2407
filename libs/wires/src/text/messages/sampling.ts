import { unsupportedFailure } from "../hub/field-support.ts";
import type { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { takesAdaptiveOnly, takesOneSampling } from "../hub/claude-generations.ts";

/** The least top_p that the vendor takes beside thoughts. */
const leastTopP = 0.95;

/**
 * Sampling, as far as the vendor takes it from this model and beside thoughts; one is the default of both. Throws
 * Failure unsupported_parameter for a temperature beyond the wire's range.
 */
export function renderSampling(
  { temperature, topP, topK }: TextRequest,
  model: string,
  thinks: boolean,
  unsupported: Unsupported,
): JsonObject {
  if (temperature !== undefined && temperature > 1)
    throw unsupportedFailure("temperature", "The vendor of this model takes a temperature from 0 to 1.");
  const free = !takesAdaptiveOnly(model);
  const alone = temperature === undefined || !takesOneSampling(model);
  const beside = !thinks || (topP ?? 0) >= leastTopP;
  const kept = taken(free && !thinks, { temperature, top_k: topK });
  const keptTopP = taken(free && alone && beside, { top_p: topP });
  unsupported.noteIf("temperature", temperature === 1 ? undefined : lost(temperature, kept["temperature"]));
  unsupported.noteIf("topP", topP === 1 ? undefined : lost(topP, keptTopP["top_p"]));
  unsupported.noteIf("topK", lost(topK, kept["top_k"]));
  return { ...kept, ...keptTopP };
}

function taken(takes: boolean, members: JsonObject): JsonObject {
  return takes ? members : {};
}

function lost(given: number | undefined, kept: unknown): number | undefined {
  return kept === undefined ? given : undefined;
}
