import type { Unsupported } from "./field-support.ts";
import { effortOf, type Effort, type TextRequest } from "./request.ts";

/** Matches models of OpenAI that do not reason, and refuse every effort. A name may follow a path or `ft:`. */
const neverReasons = /(?:^|[/:])(?:gpt-[34]|chatgpt-|gpt-5[^/]*-chat)/;

/** Matches models of OpenAI that always reason, and refuse the effort `none`. */
const alwaysReasons = /(?:^|[/:])(?:o\d|gpt-5(?![.\d])|gpt-6-astra|gpt-6\.1-sol|gpt-6\.2)/;

/** Returns false for a model of OpenAI that refuses to be asked for reasoning. */
export function takesReasoning(model: string): boolean {
  return !neverReasons.test(model);
}

/**
 * Returns the effort in which a model is asked to reason on OpenAI's wires; undefined: its own. A wish that the model
 * does not fulfil is reported as a loss.
 */
export function openAiEffort(
  { reasoning }: Pick<TextRequest, "reasoning">,
  model: string,
  unsupported: Unsupported,
): Effort | undefined {
  if (reasoning === undefined) return undefined;
  const effort = effortOf(reasoning);
  if (!takesReasoning(model)) {
    unsupported.noteIf("reasoning", effort !== "none");
    return undefined;
  }
  const isRefused = effort === "none" && alwaysReasons.test(model);
  unsupported.noteIf("reasoning", isRefused);
  return isRefused ? undefined : effort;
}
