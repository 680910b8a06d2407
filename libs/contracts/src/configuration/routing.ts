import { modelPaths } from "./model-paths.ts";
import { shown } from "./names.ts";
import type { ConfigurationProblem } from "./problem.ts";
import type { Configuration } from "./schema.ts";

/** The kinds whose calls may be served by another model than the one that was named. */
const exchangeable: ReadonlySet<string> = new Set(["chat", "completion"]);

/** Fallbacks and shares that lead nowhere, back to themselves, or to a model of another kind. */
export function* routingProblems({ models, channels }: Configuration): Iterable<ConfigurationProblem> {
  const served = new Set(channels.flatMap((channel) => modelPaths(channel).map(({ model }) => model)));
  for (const [name, model] of Object.entries(models)) {
    const { shares } = model;
    const named = Object.keys(shares ?? {}).map((other) => ({ other, path: `models.${name}.shares.${shown(other)}` }));
    for (const { other, path } of named) {
      const say = problemOf(name, model, other, models);
      if (say !== undefined) yield { path, say };
    }
    if (shares === undefined) continue;
    const path = `models.${name}.shares`;
    if (!Object.values(shares).some((share) => share > 0)) yield { path, say: "has no share above 0" };
    if (served.has(name)) yield { path, say: "is for a model without channels of its own, and a channel names it" };
    if (model.price !== undefined)
      yield { path: `models.${name}.price`, say: "is never paid: calls cost what the models of its shares do" };
  }
}

/** Why a model cannot stand in for another; undefined where it can. */
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
  if (!exchangeable.has(kind)) return `is for models of kind ${[...exchangeable].join(" and ")}`;
  return target.kind === kind ? undefined : `is for ${target.kind}, not ${kind}: ${other}`;
}
