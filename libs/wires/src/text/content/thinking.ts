import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { isReasoningRequested } from "../dialogue.ts";
import type { Unsupported } from "../hub/field-support.ts";
import { unlessEmpty } from "../hub/render.ts";
import { reasoningEffort, type Effort, type ReasoningOptions } from "../hub/request.ts";

type ThinkingLevel = "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";

const levels = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
} as const satisfies Record<Effort, ThinkingLevel>;

/** Thinking levels of the largest models, which support only LOW and HIGH. */
const proLevels = { MINIMAL: "LOW", LOW: "LOW", MEDIUM: "HIGH", HIGH: "HIGH" } as const satisfies Record<
  ThinkingLevel,
  ThinkingLevel
>;

const budgetByEffort = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
} as const satisfies Record<Effort, number>;

/** Minimum budget of models that cannot turn reasoning off, and maximum budget of the small models, in tokens. */
const [minOfPro, maxOfFlash] = [128, 24_576];

/** Renders `thinkingConfig`. If a model cannot turn reasoning off, a request to do so is reported as lost. */
export function renderThinking(
  commonOptions: ReasoningOptions,
  model: string,
  unsupported: Unsupported,
): JsonRecord | undefined {
  const effort = reasoningEffort(commonOptions);
  if (effort === "none" && (takesThinkingLevels(model) || model.includes("-pro"))) unsupported.note("reasoning");
  const amount = takesThinkingLevels(model)
    ? { thinkingLevel: levelFor(effort, model) }
    : { thinkingBudget: budgetFor(commonOptions, model) };
  const includeThoughts =
    commonOptions.show === undefined
      ? effort === undefined || effort === "none"
        ? undefined
        : true
      : commonOptions.show !== "none";
  return unlessEmpty({ ...amount, includeThoughts });
}

function levelFor(effort: Effort | undefined, model: string): ThinkingLevel | undefined {
  if (effort === undefined) return undefined;
  return model.includes("-pro") ? proLevels[levels[effort]] : levels[effort];
}

function budgetFor({ effort, budgetTokens }: ReasoningOptions, model: string): number | undefined {
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetByEffort[effort]);
  if (budget === undefined || budget < 0) return budget;
  if (model.includes("flash")) return Math.min(budget, maxOfFlash);
  return model.includes("-pro") ? Math.max(budget, minOfPro) : budget;
}

/** Parses a client's `thinkingConfig`. */
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

/** Returns true if a request asks its model for reasoning. */
export function requestsReasoning(body: JsonRecord): boolean {
  const config = body["generationConfig"] ?? body["generation_config"];
  return isRecord(config) && isReasoningRequested(config["thinkingConfig"] ?? config["thinking_config"]);
}

/** First generation of models that takes thinking levels; earlier generations take budgets. */
const firstGenerationWithLevels = 3;

/** Matches the names of the newest models of each size: `gemini-flash-latest`. */
const latestModels = /gemini-(?:[a-z]+-)+latest$/;

/** Returns true if a model, by its vendor name, takes thinking levels. */
export function takesThinkingLevels(model: string): boolean {
  if (latestModels.test(model)) return true;
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation !== undefined && Number(generation) >= firstGenerationWithLevels;
}
