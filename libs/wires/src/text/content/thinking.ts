import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "@modelgate/formats/json";
import { isReasoningRequested } from "../dialogue.ts";
import { reasoningEffort, type Unsupported, type Effort, type ReasoningOptions } from "../hub/request.ts";
import { acceptedLevel, acceptsThinkingLevels } from "../hub/gemini.ts";
import { unlessEmpty } from "../hub/render.ts";

const budgetByEffort = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
} as const satisfies Record<Effort, number>;

/** Minimum budget of models that always reason, and maximum budget of small models, in tokens. */
const [minOfPro, maxOfFlash] = [128, 24_576];

/** Renders `thinkingConfig`. An effort that the model does not accept is replaced, and reported as lost. */
export function renderThinking(
  reasoning: ReasoningOptions,
  model: string,
  unsupported: Unsupported,
): JsonRecord | undefined {
  const effort = reasoningEffort(reasoning);
  const amount = acceptsThinkingLevels(model)
    ? { thinkingLevel: levelFor(effort, model, unsupported) }
    : { thinkingBudget: budgetFor(reasoning, model, unsupported) };
  const includeThoughts =
    reasoning.show === undefined
      ? effort === undefined || effort === "none"
        ? undefined
        : true
      : reasoning.show !== "none";
  return unlessEmpty({ ...amount, includeThoughts });
}

function levelFor(effort: Effort | undefined, model: string, unsupported: Unsupported): string | undefined {
  if (effort === undefined) return undefined;
  const level = acceptedLevel(effort, model);
  unsupported.noteIf("reasoning", level !== effort);
  return level.toUpperCase();
}

function budgetFor(
  { effort, budgetTokens }: ReasoningOptions,
  model: string,
  unsupported: Unsupported,
): number | undefined {
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetByEffort[effort]);
  if (budget === undefined || budget < 0) return budget;
  if (model.includes("flash")) return Math.min(budget, maxOfFlash);
  unsupported.noteIf("reasoning", model.includes("-pro") && budget === 0);
  return model.includes("-pro") ? Math.max(budget, minOfPro) : budget;
}

export function parseThinking(config: Fields): ReasoningOptions {
  const level = config.text("thinkingLevel")?.toLowerCase();
  const effort = (["minimal", "low", "medium", "high", "xhigh"] as const).find((name) => name === level);
  if (level !== undefined && level !== "thinking_level_unspecified" && effort === undefined)
    throw config.wrong("thinkingLevel", "one of MINIMAL, LOW, MEDIUM, HIGH, XHIGH");
  const includeThoughts = config.flag("includeThoughts");
  return withoutUndefined({
    effort,
    budgetTokens: config.number("thinkingBudget"),
    show: includeThoughts === undefined ? undefined : includeThoughts ? ("summary" as const) : ("none" as const),
  });
}

export function requestsReasoning(body: JsonRecord): boolean {
  const config = body["generationConfig"] ?? body["generation_config"];
  return isRecord(config) && isReasoningRequested(config["thinkingConfig"] ?? config["thinking_config"]);
}
