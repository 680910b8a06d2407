import { cannotSay } from "../hub/fates.ts";
import type { Losses } from "../hub/losses.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { takesAdaptiveOnly, takesOneSampling } from "./generations.ts";

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
  losses: Losses,
): JsonObject {
  if (temperature !== undefined && temperature > 1)
    throw cannotSay("temperature", "The vendor of this model takes a temperature from 0 to 1.");
  const free = !takesAdaptiveOnly(model);
  const plain = free && !thinks;
  const alone = temperature === undefined || !takesOneSampling(model);
  const takesTopP = free && alone && (!thinks || (topP ?? 0) >= leastTopP);
  losses.noteIf("temperature", plain || temperature === 1 ? undefined : temperature);
  losses.noteIf("topP", takesTopP || topP === 1 ? undefined : topP);
  losses.noteIf("topK", plain ? undefined : topK);
  return {
    temperature: plain ? temperature : undefined,
    top_p: takesTopP ? topP : undefined,
    top_k: plain ? topK : undefined,
  };
}
