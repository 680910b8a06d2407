import { wrongField } from "../checks/refusal.ts";
import type { Path } from "../checks/shape.ts";

/** First generation with thinking levels, ids of tool calls, and signatures on them. */
const firstWithSignatures = 3;

/** Returns the generation of a model; undefined if its name contains none. */
function generationOf(model: string): number | undefined {
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation === undefined ? undefined : Number(generation);
}

/** Returns true if a model signs tool calls and accepts thinking levels. */
export function signsCalls(model: string): boolean {
  return (generationOf(model) ?? 0) >= firstWithSignatures;
}

/** Returns true if a model accepts thinking budgets only. */
export function takesBudgetsOnly(model: string): boolean {
  return (generationOf(model) ?? firstWithSignatures) < firstWithSignatures;
}

/** Returns true if the model's prompts are cached automatically. */
export function cachesPrompts(model: string): boolean {
  return /^gemini-(?:2\.5|[3-9])/.test(model);
}

/** Thinking levels by model name. The first match applies. */
const acceptedLevels: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^gemini-3-pro/, ["low", "high"]],
  [/^gemini-3\.1-flash-lite-image/, ["minimal", "high"]],
  [/^gemini-(?:3\.1-pro|3\.[78]-|4-)/, ["low", "medium", "high"]],
  [/^gemini-3/, ["minimal", "low", "medium", "high"]],
];

/** Refuses a thinking level that the model does not accept (egoist/chatwise-releases#1206). */
export function requireLevel(model: string, level: string | undefined, path: Path): void {
  const accepted = acceptedLevels.find(([name]) => name.test(model))?.[1];
  if (level === undefined || accepted === undefined || accepted.includes(level.toLowerCase())) return;
  throw wrongField(
    path,
    `Thinking level ${level.toUpperCase()} is not supported for this model. Please retry with other thinking level.`,
  );
}
