import type { ResolvedChannel } from "@modelgate/catalog";
import type { Configuration, ConfigurationProblem } from "@modelgate/contracts";

/** What is allowed and probably not meant: models without a price or a channel, channels that are off. */
export function warningsOf(
  { models, accounts = {} }: Configuration,
  channels: readonly ResolvedChannel[],
): readonly ConfigurationProblem[] {
  const served = new Set(
    channels
      .filter(({ off }) => off === undefined)
      .flatMap(({ configuration }) =>
        Array.isArray(configuration.models) ? configuration.models : Object.keys(configuration.models),
      ),
  );
  return [
    ...channels.flatMap(({ off }, at) =>
      off === undefined ? [] : [{ path: `channels[${at}]`, say: `is off: ${off}` }],
    ),
    ...Object.entries(models).flatMap(([name, { price }]) =>
      Object.keys(price ?? {}).length > 0
        ? []
        : [{ path: `models.${name}.price`, say: "is missing: calls of this model cost nothing" }],
    ),
    ...Object.keys(models).flatMap((name) =>
      served.has(name) ? [] : [{ path: `models.${name}`, say: "has no channel that is on: nobody can call it" }],
    ),
    ...Object.entries(accounts).flatMap(([id, { tokens = [] }]) =>
      tokens.length > 0 ? [] : [{ path: `accounts.${id}`, say: "has no tokens" }],
    ),
  ];
}
