import type { PublishedModel, ResolvedChannel, ServedModels } from "@modelgate/catalog";
import { knownPrice, priceCatalogue, comparablePrice, type KnownPrice } from "@modelgate/catalog/known-prices";
import { type Configuration, withoutUndefined } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { kindOfListed } from "./listed-kind.ts";

/** Configuration with vendors' model lists and catalogue prices. */
export interface CompleteConfiguration {
  readonly groups: Configuration["groups"];
  readonly models: Readonly<Record<string, PublishedModel>>;
  readonly channels: readonly ResolvedChannel[];
}

/** Sources for completing a configuration. */
export interface CompletionSources {
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** Time in Unix ms for which prices are needed. */
  readonly nowMs: number;
}

/** Completes a configuration with vendors' model lists and known prices. Explicit values have priority. */
export function completeConfiguration(
  { groups, models: written }: Pick<Configuration, "groups" | "models">,
  resolved: readonly ResolvedChannel[],
  { lists, nowMs }: CompletionSources,
): CompleteConfiguration {
  const channels = servedModels(written, resolved, lists);
  const listed = Object.fromEntries(
    channels.flatMap(({ configuration, models }) =>
      configuration.models === "*" ? namesIn(models).map(([name, upstream]) => [name, listedModel(upstream)]) : [],
    ),
  );
  const knownPrices = new Map(channels.map((channel) => [channel, pricesOf(channel, nowMs)]));
  const models = Object.entries({ ...listed, ...written }).map(([name, model]) => {
    const isListed = !Object.hasOwn(written, name);
    return [name, pricedModel(model, name, { channels, known: knownPrices, isListed })] as const;
  });
  return {
    groups,
    models: Object.fromEntries(models),
    channels: channels.map((channel) => ({ ...channel, costs: costsOf(knownPrices.get(channel)) })),
  };
}

type ServingChannel = ResolvedChannel & { readonly models: ServedModels };
/** Known prices of a vendor by the gateway's model names. */
type KnownPrices = ReadonlyMap<string, KnownPrice>;

/**
 * Determines the models of each channel. A channel with `models: "*"` omits names that another vendor lists first, that
 * a channel names, or that have fallbacks or shares.
 */
function servedModels(
  written: Configuration["models"],
  resolved: readonly ResolvedChannel[],
  lists: CompletionSources["lists"],
): readonly ServingChannel[] {
  /**
   * Vendor whose channels with `models: "*"` serve a name: the first one that lists it. "" if no such channel may serve
   * the name.
   */
  const vendorByName = new Map<string, string>();
  for (const [name, { shares, fallbacks }] of Object.entries(written))
    if (shares !== undefined || fallbacks !== undefined) vendorByName.set(name, "");
  for (const { configuration } of resolved)
    if (configuration.models !== "*") for (const [name] of namesIn(configuration.models)) vendorByName.set(name, "");
  return resolved.map((channel) => {
    const { models } = channel.configuration;
    if (models !== "*") return { ...channel, models };
    const listed = listedBy(channel, lists);
    const vendor = vendorIdOf(channel);
    const served = listed.filter((name) => (vendorByName.get(name) ?? vendor) === vendor);
    for (const name of served) vendorByName.set(name, vendor);
    return withoutUndefined({
      ...channel,
      models: served,
      unserved: served.length < listed.length ? listed.filter((name) => !served.includes(name)) : undefined,
    });
  });
}

/** Returns an id of a channel's vendor. Channels of one vendor have the same id. */
function vendorIdOf({ configuration: { id, provider }, baseUrl }: ResolvedChannel): string {
  return URL.canParse(baseUrl) ? `${provider} ${new URL(baseUrl).origin}` : `channel ${id}`;
}

function listedBy({ configuration }: ResolvedChannel, lists: CompletionSources["lists"]): readonly string[] {
  const { wires = providers[configuration.provider]?.wires ?? [] } = configuration;
  return (lists.get(configuration.id) ?? []).filter((name) => kindOfListed(name, wires) !== undefined);
}

function listedModel(upstream: string): Configuration["models"][string] {
  return { kind: kindOfListed(upstream) ?? "chat" };
}

function namesIn(models: ServedModels): readonly (readonly [name: string, upstream: string])[] {
  return Array.isArray(models) ? models.map((name) => [name, name] as const) : Object.entries(models);
}

function pricesOf({ configuration, models }: ServingChannel, nowMs: number): KnownPrices {
  const provider = providers[configuration.provider];
  if (provider?.isLocal === true) return new Map(namesIn(models).map(([name]) => [name, ownServer]));
  const { pricesAs } = provider ?? {};
  if (pricesAs === undefined) return new Map();
  return new Map(
    namesIn(models).flatMap(([name, upstream]) => {
      const found = knownPrice(pricesAs, upstream, nowMs);
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}

/** Price of models on an operator's server. */
const ownServer: KnownPrice = { price: {}, entry: "the operator's server" };

function costsOf(knownPrices: KnownPrices = new Map()): Readonly<Record<string, number>> | undefined {
  if (knownPrices.size === 0) return undefined;
  return Object.fromEntries([...knownPrices].map(([name, { price }]) => [name, comparablePrice(price)]));
}

/** Returns a model with its configured price, or with the known price of the channel with the highest priority. */
function pricedModel(
  model: Configuration["models"][string],
  name: string,
  {
    channels,
    known: knownPrices,
    isListed,
  }: {
    readonly channels: readonly ServingChannel[];
    readonly known: ReadonlyMap<ServingChannel, KnownPrices>;
    readonly isListed: boolean;
  },
): PublishedModel {
  const { price, ...others } = model;
  const found = channels
    .filter(({ models }) => namesIn(models).some(([served]) => served === name))
    .toSorted((left, right) => (right.configuration.priority ?? 0) - (left.configuration.priority ?? 0))
    .map((channel) => knownPrices.get(channel)?.get(name))
    .find((each) => each !== undefined);
  // Prices of vendor-side tools that the configuration lacks are added from the known price.
  if (price !== undefined && price !== "auto") {
    const tools = { ...found?.price.tools, ...price.tools };
    return { ...others, price: Object.keys(tools).length === 0 ? price : { ...price, tools } };
  }
  if (found === undefined) return { ...others, ...(isListed ? { isUnpriced: true } : {}) };
  const { contextTokens = found.contextTokens } = model;
  return withoutUndefined({
    ...others,
    contextTokens,
    price: found.price,
    priceOrigin: originOf(found),
  });
}

function originOf({ entry }: KnownPrice): NonNullable<PublishedModel["priceOrigin"]> {
  const { name, version, day } = priceCatalogue;
  return { catalogue: `${name} ${version}`, entry, day };
}
