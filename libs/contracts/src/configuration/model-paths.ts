import type { ChannelConfiguration } from "./schema.ts";

/** The models that a channel names, a list or a map; none where its vendor lists them. Each with its path below the channel: `models[0]`, `models.gpt-x`. */
export function modelPaths({
  models,
}: Pick<ChannelConfiguration, "models">): readonly { readonly model: string; readonly path: string }[] {
  if (models === "*") return [];
  return Array.isArray(models)
    ? models.map((model, at) => ({ model, path: `models[${at}]` }))
    : Object.keys(models).map((model) => ({ model, path: `models.${model}` }));
}
