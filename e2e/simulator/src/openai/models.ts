import { memberOf, textAt } from "../checks/members.ts";
import { wrongField } from "../checks/refusal.ts";
import type { Path } from "../checks/shape.ts";

/** Reasoning efforts by model name. The first match applies. */
const acceptedEfforts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:gpt-6\.2|gpt-6-astra|gpt-6\.1-sol)/, ["low", "medium", "high", "xhigh", "max"]],
  [/^(?:gpt-6|gpt-5\.6)/, ["none", "low", "medium", "high", "xhigh", "max"]],
  [/^gpt-5\.1/, ["none", "low", "medium", "high"]],
];

const sampling = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"] as const;

/**
 * Refuses values that the model does not accept (anomalyco/opencode#4451, BerriAI/litellm#39631). Chat completions
 * accept no effort above `xhigh`.
 */
export function requireModelValues(body: unknown, effortAt: Path): void {
  const model = textAt(body, "model") ?? "";
  if (model.startsWith("gpt-6.2") && textAt(body, "service_tier") === "flex")
    throw wrongField(["service_tier"], `Flex is not available for model ${model}.`, "invalid_value");
  const efforts = acceptedEfforts.find(([name]) => name.test(model))?.[1];
  if (efforts === undefined) return;
  const effort = textAt(effortAt.length > 1 ? memberOf(body, "reasoning") : body, String(effortAt.at(-1)));
  const known = effortAt.length > 1 ? efforts : efforts.filter((each) => each !== "max");
  if (effort !== undefined && !known.includes(effort)) {
    const values = known.map((each) => `'${each}'`);
    throw wrongField(
      effortAt,
      `Unsupported value: '${effort}' is not supported with the '${model}' model. ` +
        `Supported values are: ${values.slice(0, -1).join(", ")}, and ${values.at(-1)}.`,
      "unsupported_value",
    );
  }
  if (efforts.includes("none") && (effort ?? (model.startsWith("gpt-5.1") ? "none" : "medium")) === "none") return;
  const name = sampling.find((each) => (memberOf(body, each) ?? undefined) !== undefined);
  if (name !== undefined)
    throw wrongField([name], `'${name}' is not supported with this model.`, "unsupported_parameter");
}
