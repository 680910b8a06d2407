import type { ResolvedChannel } from "@modelgate/catalog";
import { modelPlaces, type Configuration, type ConfigurationProblem } from "@modelgate/contracts";
import { channelWarnings } from "./channel-warnings.ts";
import { priceWarnings } from "./price-warnings.ts";

/**
 * What is allowed and probably not meant: models without a price or a channel, prices that nobody pays, channels or keys
 * that are not set or lead nowhere, tokens that may call what their group does not have.
 */
export function warningsOf(
  { groups, models, accounts = {} }: Configuration,
  channels: readonly ResolvedChannel[],
): readonly ConfigurationProblem[] {
  const served = new Set(
    channels
      .filter(({ off }) => off === undefined)
      .flatMap(({ configuration }) => modelPlaces(configuration).map(({ model }) => model)),
  );
  return [
    ...channels.flatMap(({ off }, at) =>
      off === undefined ? [] : [{ path: `channels[${at}]`, say: `is off: ${off}` }],
    ),
    ...channels.flatMap(({ off, keys, configuration }, at) =>
      off !== undefined || keys.length === configuration.keys.length
        ? []
        : [{ path: `channels[${at}].keys`, say: `${keys.length} of ${configuration.keys.length} are set` }],
    ),
    ...priceWarnings(models),
    ...Object.keys(models).flatMap((name) =>
      served.has(name) ? [] : [{ path: `models.${name}`, say: "has no channel that is on: nobody can call it" }],
    ),
    ...channelWarnings(models, channels),
    ...Object.entries(accounts).flatMap(([id, { tokens = [] }]) =>
      tokens.length > 0 ? [] : [{ path: `accounts.${id}`, say: "has no tokens" }],
    ),
    ...narrowedOut({ accounts, groups }),
  ];
}

/** Models that a token is narrowed to and that its group does not have. */
function narrowedOut({ groups, accounts = {} }: Pick<Configuration, "groups" | "accounts">) {
  return Object.entries(accounts).flatMap(([id, { tokens = [] }]) =>
    tokens.flatMap(({ group, models = [] }, at) => {
      const offered = groups[group]?.models ?? [];
      if (offered.includes("*")) return [];
      return models.flatMap((model, index) => {
        const path = `accounts.${id}.tokens[${at}].models[${index}]`;
        return offered.includes(model) ? [] : [{ path, say: `is not a model of its group: ${model} cannot be called` }];
      });
    }),
  );
}
