import type { ResolvedChannel } from "@modelgate/catalog";
import {
  modelPlaces,
  priceFields,
  type Configuration,
  type ConfigurationProblem,
  type PriceField,
  type WrittenPrices,
} from "@modelgate/contracts";
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
    ...Object.entries(models).flatMap(([name, { price }]) =>
      Object.keys(price ?? {}).length > 0
        ? []
        : [{ path: `models.${name}.price`, say: "is missing: calls of this model cost nothing" }],
    ),
    ...Object.entries(models).flatMap(([name, { price }]) =>
      forgottenPrices(price ?? {}).map((field) => ({
        path: `models.${name}.price.${field}`,
        say: `is missing: ${priceFields[field].unit} that a vendor reports cost nothing (0 says that this is meant)`,
      })),
    ),
    ...Object.entries(models).flatMap(([name, { price }]) =>
      unusualPrices(price ?? {}).map((field) => ({
        path: `models.${name}.price.${field}`,
        say: "is missing: below the least of its resolutions, and where a request says none, it costs nothing",
      })),
    ),
    ...Object.keys(models).flatMap((name) =>
      served.has(name) ? [] : [{ path: `models.${name}`, say: "has no channel that is on: nobody can call it" }],
    ),
    ...priceWarnings(models),
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

/** Prices that go together: vendors split what the first of a pair counts, and then count the second apart. */
const together: readonly (readonly [given: PriceField, wanted: PriceField])[] = [
  ["output", "input"],
  ["cachedInput", "input"],
  ["outputAudio", "inputAudio"],
  ["inputAudio", "input"],
];
/** Wanted beside input and output alike: what has no output has no cache. */
const besideOutput: PriceField = "cachedInput";

/** Prices that are not given although what is given says that their units will be reported. */
function forgottenPrices(price: WrittenPrices): readonly PriceField[] {
  const given = (field: PriceField): boolean => price[field] !== undefined;
  const wanted = together.filter(([field]) => given(field)).map(([, field]) => field);
  if (given("input") && given("output")) wanted.push(besideOutput);
  return [...new Set(wanted)].filter((field) => !given(field));
}

/** Prices that only resolutions have. */
function unusualPrices({ resolutions = {}, ...usual }: WrittenPrices): readonly string[] {
  const named = Object.values(resolutions).flatMap((price) => Object.keys(price));
  return [...new Set(named)].filter((field) => !Object.hasOwn(usual, field));
}
