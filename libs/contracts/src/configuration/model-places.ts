import type { ChannelConfiguration } from "./schema.ts";

/** The models that a channel names, a list or a map; none where its vendor lists them. Each with its place below the channel: `models[0]`, `models.gpt-x`. */
export function modelPlaces({
  models,
}: Pick<ChannelConfiguration, "models">): readonly { readonly model: string; readonly place: string }[] {
  if (models === "*") return [];
  return Array.isArray(models)
    ? models.map((model, at) => ({ model, place: `models[${at}]` }))
    : Object.keys(models).map((model) => ({ model, place: `models.${model}` }));
}
