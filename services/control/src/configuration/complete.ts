import type { PublishedModel, ResolvedChannel, ServedModels } from "@modelgate/catalog";
import { knownPrice, priceCatalogue, sumOf, type KnownPrice } from "@modelgate/catalog/known-prices";
import { type Configuration, present } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { kindOfListed } from "./listed-kind.ts";

/** A configuration with everything written out that it leaves to vendors and to the catalogue of prices. */
export interface CompleteConfiguration {
  readonly groups: Configuration["groups"];
  readonly models: Readonly<Record<string, PublishedModel>>;
  readonly channels: readonly ResolvedChannel[];
}

/** Sources for completing a configuration. */
export interface CompletedFrom {
  /** The models that vendors list, by the id of the channel that asks for them. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The day that prices are looked up for, Unix ms. */
  readonly nowMs: number;
}

/**
 * Writes out what channels serve that take what their vendor lists, the prices of models that name none, and what each
 * vendor is known to charge. The configuration's own words win.
 */
export function completeConfiguration(
  { groups, models: written }: Pick<Configuration, "groups" | "models">,
  resolved: readonly ResolvedChannel[],
  { lists, nowMs }: CompletedFrom,
): CompleteConfiguration {
  const channels = servedModels(written, resolved, lists);
  const listed = Object.fromEntries(
    channels.flatMap(({ configuration, models }) =>
      configuration.models === "*" ? namesIn(models).map(([name, upstream]) => [name, listedModel(upstream)]) : [],
    ),
  );
  const known = new Map(channels.map((channel) => [channel, pricesOf(channel, nowMs)]));
  const models = Object.entries({ ...listed, ...written }).map(([name, model]) => {
    const isListed = !Object.hasOwn(written, name);
    return [name, pricedModel(model, name, { channels, known, isListed })] as const;
  });
  return {
    groups,
    models: Object.fromEntries(models),
    channels: channels.map((channel) => ({ ...channel, costs: costsOf(known.get(channel)) })),
  };
}

type Served = ResolvedChannel & { readonly models: ServedModels };
/** Prices of a channel's vendor, by the gateway's model names. */
type KnownPrices = ReadonlyMap<string, KnownPrice>;

/**
 * Decides what each channel serves. A vendor lists whatever it likes: a name that the configuration gives to other channels,
 * fallbacks or shares, or that another vendor's list had before, is served by a channel only where that names it.
 */
function servedModels(
  written: Configuration["models"],
  resolved: readonly ResolvedChannel[],
  lists: CompletedFrom["lists"],
): readonly Served[] {
  /** Server of each name: "" if the configuration names it, else the vendor that lists it. */
  const servers = new Map<string, string>();
  for (const [name, { shares, fallbacks }] of Object.entries(written))
    if (shares !== undefined || fallbacks !== undefined) servers.set(name, "");
  for (const { configuration } of resolved)
    if (configuration.models !== "*") for (const [name] of namesIn(configuration.models)) servers.set(name, "");
  return resolved.map((channel) => {
    const { models } = channel.configuration;
    if (models !== "*") return { ...channel, models };
    const listed = listedBy(channel, lists);
    const vendor = vendorOf(channel);
    const free = listed.filter((name) => (servers.get(name) ?? vendor) === vendor);
    for (const name of free) servers.set(name, vendor);
    return present({
      ...channel,
      models: free,
      unserved: free.length < listed.length ? listed.filter((name) => !free.includes(name)) : undefined,
    });
  });
}

/** The vendor as several channels may name it: two keys of one vendor share what it lists. */
function vendorOf({ configuration: { id, provider }, baseUrl }: ResolvedChannel): string {
  return URL.canParse(baseUrl) ? `${provider} ${new URL(baseUrl).origin}` : `channel ${id}`;
}

function listedBy({ configuration }: ResolvedChannel, lists: CompletedFrom["lists"]): readonly string[] {
  const { wires = providers[configuration.provider]?.wires ?? [] } = configuration;
  return (lists.get(configuration.id) ?? []).filter((name) => kindOfListed(name, wires) !== undefined);
}

function listedModel(upstream: string): Configuration["models"][string] {
  return { kind: kindOfListed(upstream) ?? "chat" };
}

function namesIn(models: ServedModels): readonly (readonly [name: string, upstream: string])[] {
  return Array.isArray(models) ? models.map((name) => [name, name] as const) : Object.entries(models);
}

function pricesOf({ configuration, models }: Served, nowMs: number): KnownPrices {
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

/** Price of an operator's own server: nothing per token. */
const ownServer: KnownPrice = { price: {}, entry: "a server of the operator's own" };

function costsOf(known: KnownPrices = new Map()): Readonly<Record<string, number>> | undefined {
  if (known.size === 0) return undefined;
  return Object.fromEntries([...known].map(([name, { price }]) => [name, sumOf(price)]));
}

/** A model with its price: its own, else that of its channel of the highest priority whose vendor's is known. */
function pricedModel(
  model: Configuration["models"][string],
  name: string,
  {
    channels,
    known,
    isListed,
  }: {
    readonly channels: readonly Served[];
    readonly known: ReadonlyMap<Served, KnownPrices>;
    readonly isListed: boolean;
  },
): PublishedModel {
  const { price, ...others } = model;
  const found = channels
    .filter(({ models }) => namesIn(models).some(([served]) => served === name))
    .toSorted((left, right) => (right.configuration.priority ?? 0) - (left.configuration.priority ?? 0))
    .map((channel) => known.get(channel)?.get(name))
    .find((each) => each !== undefined);
  // Calls of a vendor's tools cost what it publishes, where the configuration says nothing of them.
  if (price !== undefined && price !== "auto") {
    const tools = { ...found?.price.tools, ...price.tools };
    return { ...others, price: Object.keys(tools).length === 0 ? price : { ...price, tools } };
  }
  if (found === undefined) return { ...others, ...(isListed ? { isUnpriced: true } : {}) };
  const { contextTokens = found.contextTokens } = model;
  return present({
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
