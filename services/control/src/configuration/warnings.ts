import type { ResolvedChannel } from "@modelgate/catalog";
import { modelPaths, type Configuration, type ConfigurationProblem } from "@modelgate/contracts";
import type { CompleteConfiguration } from "./complete.ts";
import { channelWarnings } from "./channel-warnings.ts";
import { priceWarnings } from "./price-warnings.ts";

/**
 * Returns probable mistakes in a valid configuration. Disabled channels come last, because a shared file usually has
 * some.
 */
export function warningsOf(
  { groups, accounts = {} }: Configuration,
  { models, channels }: Pick<CompleteConfiguration, "models" | "channels">,
): readonly ConfigurationProblem[] {
  const served = modelsServedBy(channels);
  return [
    ...Object.keys(models).flatMap((name) =>
      served.has(name) || models[name]?.shares !== undefined || models[name]?.fallbacks !== undefined
        ? []
        : [{ path: `models.${name}`, message: "has no channel: it cannot be called" }],
    ),
    ...priceWarnings(models),
    ...channelWarnings(models, channels),
    ...Object.entries(accounts).flatMap(([id, { tokens = [] }]) =>
      tokens.length > 0 ? [] : [{ path: `accounts.${id}`, message: "has no tokens" }],
    ),
    ...unreachableModelWarnings({ accounts, groups }),
    ...channels.flatMap(({ off, keys, configuration }, at) =>
      off !== undefined || configuration.keys === undefined || keys.length === configuration.keys.length
        ? []
        : [{ path: `channels[${at}].keys`, message: `${keys.length} of ${configuration.keys.length} are set` }],
    ),
    ...disabledChannelWarnings(channels),
  ];
}

function modelsServedBy(channels: readonly ResolvedChannel[]): ReadonlySet<string> {
  return new Set(
    channels.flatMap(({ configuration: { models: configuredModels }, models = configuredModels }) =>
      modelPaths({ models }).map(({ model }) => model),
    ),
  );
}

/** Warns of each disabled channel, and of models that no other channel serves. */
function disabledChannelWarnings(channels: readonly ResolvedChannel[]): readonly ConfigurationProblem[] {
  const served = modelsServedBy(channels.filter(({ off }) => off === undefined));
  return channels.flatMap((channel, at) => {
    if (channel.off === undefined) return [];
    const unservedModels = [...modelsServedBy([channel])].filter((model) => !served.has(model));
    const models = unservedModels.length === 0 ? "" : `; until then nothing serves ${unservedModels.join(", ")}`;
    return [{ path: `channels[${at}]`, message: `is off: ${channel.off}${models}` }];
  });
}

/** Warns of each model of an API key that its group does not allow. */
function unreachableModelWarnings({ groups, accounts = {} }: Pick<Configuration, "groups" | "accounts">) {
  return Object.entries(accounts).flatMap(([id, { tokens = [] }]) =>
    tokens.flatMap(({ group, models = [] }, at) => {
      const offered = groups[group]?.models ?? [];
      if (offered.includes("*")) return [];
      return models.flatMap((model, index) => {
        const path = `accounts.${id}.tokens[${at}].models[${index}]`;
        return offered.includes(model)
          ? []
          : [{ path, message: `is not a model of its group: ${model} cannot be called` }];
      });
    }),
  );
}
