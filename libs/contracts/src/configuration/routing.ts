import { redactedName } from "./names.ts";
import type { ConfigurationProblem, ChannelConfiguration, Configuration } from "./schema.ts";

/** Kinds of models whose calls may be divided among several models by shares. */
const divisibleKinds: ReadonlySet<string> = new Set(["chat", "completion"]);
/** Kinds of models whose calls are tasks or sessions and cannot use a fallback. */
const kindsWithoutFallback: ReadonlySet<string> = new Set(["video", "realtime"]);

/** Returns the invalid fallbacks and shares. */
export function* routingProblems({ models, channels }: Configuration): Iterable<ConfigurationProblem> {
  const served = new Set(channels.flatMap((channel) => modelPaths(channel).map(({ model }) => model)));
  for (const [name, model] of Object.entries(models)) {
    const { shares, fallbacks = [] } = model;
    for (const other of Object.keys(shares ?? {})) {
      const message = divisibleKinds.has(model.kind)
        ? targetProblem(name, model, other, models)
        : `is for models of kind ${[...divisibleKinds].join(" and ")}`;
      if (message !== undefined) yield { path: `models.${name}.shares.${redactedName(other)}`, message };
    }
    for (const [index, other] of fallbacks.entries()) {
      const message = kindsWithoutFallback.has(model.kind)
        ? `is not for models of kind ${[...kindsWithoutFallback].join(" and ")}`
        : fallbacks.indexOf(other) < index
          ? `appears more than once: ${redactedName(other)}`
          : targetProblem(name, model, other, models);
      if (message !== undefined) yield { path: `models.${name}.fallbacks[${index}]`, message };
    }
    if (shares === undefined) continue;
    const path = `models.${name}.shares`;
    if (!Object.values(shares).some((share) => share > 0)) yield { path, message: "has no share above 0" };
    if (served.has(name)) yield { path, message: "is only for a model without channels, but a channel names it" };
    if (model.price !== undefined)
      yield { path: `models.${name}.price`, message: "is never used: calls cost what the models of its shares cost" };
  }
}

function targetProblem(
  name: string,
  { kind }: Configuration["models"][string],
  other: string,
  models: Configuration["models"],
): string | undefined {
  const target = Object.hasOwn(models, other) ? models[other] : undefined;
  if (target === undefined) return `is not in models: ${redactedName(other)}`;
  if (other === name) return "is the model itself";
  if (target.shares !== undefined) return `also has shares: ${other}`;
  return target.kind === kind ? undefined : `is for ${target.kind}, not ${kind}: ${other}`;
}

/** Returns the models of a channel's configuration with their paths (`models[0]`, `models.gpt-x`). */
export function modelPaths({
  models,
}: Pick<ChannelConfiguration, "models">): readonly { readonly model: string; readonly path: string }[] {
  if (models === "*") return [];
  return Array.isArray(models)
    ? models.map((model, index) => ({ model, path: `models[${index}]` }))
    : Object.keys(models).map((model) => ({ model, path: `models.${model}` }));
}
