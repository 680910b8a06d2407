import { memberOf, findMembersInTurns, memberInTurns, includesAny } from "@modelgate/formats/json";
import { renameAt, type FittedBody } from "../pass.ts";
import { efforts, type Effort } from "./request.ts";

/** First generation with thinking levels. Earlier generations accept thinking budgets instead. */
const firstGenerationWithLevels = 3;

/** Matches names for the newest model of each size, such as `gemini-flash-latest`. */
const latestModels = /gemini-(?:[a-z]+-)+latest$/;

export function acceptsThinkingLevels(model: string): boolean {
  if (latestModels.test(model)) return true;
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation !== undefined && Number(generation) >= firstGenerationWithLevels;
}

const allLevels = ["minimal", "low", "medium", "high", "xhigh"] as const;

type ThinkingLevel = (typeof allLevels)[number];

/**
 * Thinking levels that models accept, in ascending order; the first match applies. Sources: pydantic-ai-slim 2.68.0,
 * bolna-ai/bolna#956, egoist/chatwise-releases#1206.
 */
const levelsByModel: readonly (readonly [name: RegExp, levels: readonly [ThinkingLevel, ...ThinkingLevel[]]])[] = [
  [/gemini-3-pro/, ["low", "high"]],
  [/gemini-3\.1-flash-lite-image/, ["minimal", "high"]],
  [/gemini-3(?:\.[0-6])?-flash/, ["minimal", "low", "medium", "high"]],
  [/gemini-/, ["low", "medium", "high"]],
];

/** Returns the accepted thinking level that is nearest to an effort. */
export function acceptedLevel(effort: Effort, model: string): ThinkingLevel {
  const known = acceptsThinkingLevels(model) ? levelsByModel.find(([name]) => name.test(model)) : undefined;
  const levels = known?.[1] ?? allLevels;
  const distance = (level: ThinkingLevel): number => Math.abs(efforts.indexOf(level) - efforts.indexOf(effort));
  let [nearest] = levels;
  for (const level of levels) if (distance(level) <= distance(nearest)) nearest = level;
  return nearest;
}

const levelMembers = ['"thinkingLevel"', '"thinking_level"'].map((text) => Buffer.from(text));

/** Changes the thinking level of a forwarded request to one that its model accepts. */
export function* fitThinkingLevel(
  body: Buffer,
  model: string,
  paths: readonly (readonly [config: string, ...inner: readonly string[]])[],
): Generator<undefined, FittedBody> {
  const unchanged = { body, dropped: [] };
  if (!acceptsThinkingLevels(model) || !(yield* includesAny(body, ...levelMembers))) return unchanged;
  yield* findMembersInTurns(body);
  for (const path of paths) {
    const [config, ...inner] = path;
    const level = inner.reduce<unknown>(memberOf, yield* memberInTurns(body, config));
    const effort = typeof level === "string" ? allLevels.find((each) => each === level.toLowerCase()) : undefined;
    if (effort === undefined) continue;
    const accepted = acceptedLevel(effort, model);
    if (accepted === effort) return unchanged;
    const levelText = level === effort ? accepted : accepted.toUpperCase();
    return { body: renameAt(body, path, levelText), dropped: [path.join(".")] };
  }
  return unchanged;
}
