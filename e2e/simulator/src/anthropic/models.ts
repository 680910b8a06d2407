import { memberOf, textAt } from "../checks/members.ts";
import { Refusal, wrongField } from "../checks/refusal.ts";

/** Models that refuse thinking budgets and sampling parameters. */
const newestModels = /claude-(?:opus-4-[78]|(?:fable|mythos|opus|sonnet|haiku)-5)/;
const alwaysThinking = /claude-(?:fable-5|mythos-5|opus-5-5|sonnet-5-5)/;
const modelsRefusingForcedCalls = /claude-(?:(?:fable|mythos)-5-[1-9]|opus-5-5|sonnet-5-5)/;

/** Refuses values that the newest models refuse (earendil-works/pi#3297, stdapi-ai/stdapi.ai#284). */
export function requireModelValues(body: unknown): void {
  const model = textAt(body, "model") ?? "";
  if (!newestModels.test(model)) return;
  const type = textAt(memberOf(body, "thinking"), "type");
  if (type === "enabled")
    throw new Refusal(
      400,
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and ' +
        '"output_config.effort" to control thinking behavior.',
    );
  if (type === "disabled" && alwaysThinking.test(model))
    throw new Refusal(400, '"thinking.type.disabled" is not supported for this model.');
  for (const name of ["temperature", "top_p", "top_k"])
    if (memberOf(body, name) !== undefined) throw wrongField([name], `\`${name}\` is deprecated for this model.`);
  const choice = textAt(memberOf(body, "tool_choice"), "type");
  if (modelsRefusingForcedCalls.test(model) && (choice === "any" || choice === "tool"))
    throw wrongField(["tool_choice"], "This model does not take a tool_choice that forces a call.");
}

/** Returns true if a model may be forced to call a tool although it thinks: such a model always thinks. */
export function forcesWhileThinking(model: string): boolean {
  return alwaysThinking.test(model);
}
