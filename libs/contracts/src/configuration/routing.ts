import { shown } from "./names.ts";
import type { ConfigurationProblem, ChannelConfiguration, Configuration } from "./schema.ts";

/** Kinds of models whose calls may be split between models. */
const divisible: ReadonlySet<string> = new Set(["chat", "completion"]);
/** Kinds of models whose calls cannot use a fallback: tasks and sessions. */
const bound: ReadonlySet<string> = new Set(["video", "realtime"]);

/** Lists fallbacks and shares that are unknown, circular, or of another kind of model. */
export function* routingProblems({ models, channels }: Configuration): Iterable<ConfigurationProblem> {
  const served = new Set(channels.flatMap((channel) => modelPaths(channel).map(({ model }) => model)));
  for (const [name, model] of Object.entries(models)) {
    const { shares, fallbacks = [] } = model;
    for (const other of Object.keys(shares ?? {})) {
      const message = divisible.has(model.kind)
        ? problemOf(name, model, other, models)
        : `is for models of kind ${[...divisible].join(" and ")}`;
      if (message !== undefined) yield { path: `models.${name}.shares.${shown(other)}`, message };
    }
    for (const [at, other] of fallbacks.entries()) {
      const message = bound.has(model.kind)
        ? `is not for models of kind ${[...bound].join(" and ")}`
        : fallbacks.indexOf(other) < at
          ? `appears more than once: ${shown(other)}`
          : problemOf(name, model, other, models);
      if (message !== undefined) yield { path: `models.${name}.fallbacks[${at}]`, message };
    }
    if (shares === undefined) continue;
    const path = `models.${name}.shares`;
    if (!Object.values(shares).some((share) => share > 0)) yield { path, message: "has no share above 0" };
    if (served.has(name)) yield { path, message: "is for a model without channels of its own, and a channel names it" };
    if (model.price !== undefined)
      yield { path: `models.${name}.price`, message: "is never paid: calls cost what the models of its shares do" };
  }
}

/** Returns the reason why a model cannot be a fallback for another; undefined if it can. */
function problemOf(
  name: string,
  { kind }: Configuration["models"][string],
  other: string,
  models: Configuration["models"],
): string | undefined {
  const target = Object.hasOwn(models, other) ? models[other] : undefined;
  if (target === undefined) return `is not in models: ${shown(other)}`;
  if (other === name) return "is the model itself";
  if (target.shares !== undefined) return `has shares of its own: ${other}`;
  return target.kind === kind ? undefined : `is for ${target.kind}, not ${kind}: ${other}`;
}

/**
 * Returns the models that a channel names in a list or a map, each with its path below the channel: `models[0]`,
 * `models.gpt-x`; empty if its vendor lists them.
 */
export function modelPaths({
  models,
}: Pick<ChannelConfiguration, "models">): readonly { readonly model: string; readonly path: string }[] {
  if (models === "*") return [];
  return Array.isArray(models)
    ? models.map((model, at) => ({ model, path: `models[${at}]` }))
    : Object.keys(models).map((model) => ({ model, path: `models.${model}` }));
}
