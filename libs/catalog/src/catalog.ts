import { channelKeyId, secretContext } from "./channel-key-id.ts";
import {
  compilePrice,
  compileResolutions,
  Failure,
  type ChannelChoice,
  type GroupConfiguration,
  type ModelKind,
  type Price,
  type ResolutionPrice,
  type UpstreamWire,
} from "@modelgate/contracts";
import { parseHeaders } from "./published.ts";
import type { PublishedConfiguration, PublishedChannel, PublishedModel } from "./published.ts";

/** A group of the configuration, with default values filled in. */
export interface Group {
  readonly name: string;
  readonly multiplier: number;
  readonly limits: {
    readonly requestsPerMinute?: number | undefined;
    readonly requestsPerDay?: number | undefined;
    readonly tokensPerMinute?: number | undefined;
    readonly concurrency?: number | undefined;
    /** US dollars per day for all API keys of one account in this group. */
    readonly dollarsPerDay?: number | undefined;
    readonly dollarsPerMonth?: number | undefined;
  };
  /** Names of models; "*" means all. */
  readonly models: ReadonlySet<string>;
  /** Treatment of requests that name objects in a vendor's store, if the caller's account did not create them. */
  readonly vendorStores: "refuse" | "shared";
  /** Treatment of vendor-side tools and service tiers without a price. */
  readonly unpriced: "drop" | "refuse" | "pass";
  /** True if answers name the channel that served them. */
  readonly showChannel: boolean;
}

/** A model of the configuration, with its compiled price. */
export interface CatalogModel {
  readonly name: string;
  readonly kind: ModelKind;
  readonly ownedBy: string;
  readonly price: Price;
  /** Prices for videos of at least a certain resolution. */
  readonly resolutions?: readonly ResolutionPrice[] | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Maximum tokens of a call's input and output together. */
  readonly contextTokens?: number | undefined;
  /** Rule for choosing among channels of equal priority. The default is by weight. */
  readonly choice?: ChannelChoice | undefined;
}

/** An API key of a channel. Its id may be shown. */
export interface ChannelKey {
  readonly id: string;
  readonly secret: string;
}

/** A channel of the configuration: access to a vendor. */
export interface CatalogChannel {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly keys: readonly ChannelKey[];
  /** Vendor's name of each model, by its name in the gateway. */
  readonly models: ReadonlyMap<string, string>;
  /** Known price of each model at this vendor, used only to compare channels. */
  readonly costs?: ReadonlyMap<string, number> | undefined;
  /** Wires that this address supports. The default is the provider's wires. */
  readonly wires?: readonly UpstreamWire[] | undefined;
  /** Groups that may use the channel. The default is all groups. */
  readonly groups?: ReadonlySet<string> | undefined;
  readonly priority: number;
  readonly weight: number;
  /** Maximum number of open calls, over all replicas of the gateway together. */
  readonly maxConcurrency?: number | undefined;
  /** Maximum number of open calls with one channel key, over all replicas together. */
  readonly keyConcurrency?: number | undefined;
  /** Maximum number of calls per minute, over all replicas together. */
  readonly requestsPerMinute?: number | undefined;
  /** Maximum silence of the vendor in ms. */
  readonly timeoutMs: number;
  /** Maximum ms until the first event of a stream. Absent: no maximum while the vendor sends comments. */
  readonly firstByteTimeoutMs?: number | undefined;
  /** URL of the proxy of all connections to the vendor, with its name and password. */
  readonly proxy?: string | undefined;
  /** Headers of every request to the vendor, by lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body members as JSON texts, added to requests that have no member of that name. */
  readonly defaults?: Readonly<Record<string, string>> | undefined;
  /** Body members as JSON texts, added to requests or replacing a member of that name. */
  readonly force?: Readonly<Record<string, string>> | undefined;
  /** Reason why the channel cannot serve any call. */
  readonly off?: string | undefined;
}

/** A channel that serves a model to a group, with the vendor's name of the model. */
export interface Candidate {
  readonly channel: CatalogChannel;
  readonly upstreamModel: string;
  /** Known price of the model at the vendor, used only to compare candidates. */
  readonly cost?: number | undefined;
}

/** Models that a request may use: those of a group, or fewer for some API keys. */
export interface ModelScope {
  readonly group: string;
  readonly models?: readonly string[] | undefined;
}

/** The compiled configuration. Each version of the configuration has a new catalog. */
export interface Catalog {
  readonly version: string;
  readonly channels: readonly CatalogChannel[];
  /** Host names of all channels' addresses. A file's URL with such a host refers to the vendor's store. */
  readonly vendorHosts: ReadonlySet<string>;
  group(name: string): Group | undefined;
  kindOf(model: string): ModelKind | undefined;
  priceOf(model: string): Price | undefined;
  /** Returns the models that an API key can call now, ordered by name. */
  modelsOf(scope: ModelScope): readonly CatalogModel[];
  /**
   * Returns a model. For a model with shares, returns the model of one share, drawn at random. Throws Failure
   * group_not_allowed, model_not_found or model_not_allowed.
   */
  resolve(scope: ModelScope, name: string, kinds: readonly ModelKind[]): CatalogModel;
  /** Returns the fallbacks of a model, in order of preference. */
  fallbacksOf(model: string): readonly string[];
  /** Returns the channels that serve a model to a group, ordered by priority, the highest first. */
  candidates(model: string, group: string): readonly Candidate[];
}

const defaultOwner = "modelgate";

/** Compiles a published configuration. `decrypt` decrypts keys, proxies and headers of channels. */
export function compileCatalog(
  published: PublishedConfiguration,
  decrypt: (encrypted: string, context: string) => string,
  random: () => number = Math.random,
): Catalog {
  const shares = sharesByModel(published.models);
  const groups = new Map(Object.entries(published.groups).map(([name, group]) => [name, compileGroup(name, group)]));
  const models = new Map(Object.entries(published.models).map(([name, model]) => [name, compileModel(name, model)]));
  const channels = published.channels.map((channel) => compileChannel(channel, decrypt));
  const candidates = allCandidates([...groups.keys()], [...models.keys()], { channels, shares });
  const unpriced = new Set(Object.keys(published.models).filter((name) => published.models[name]?.isUnpriced === true));

  const fallbacksOf = (name: string): readonly string[] =>
    Object.hasOwn(published.models, name) ? (published.models[name]?.fallbacks ?? []) : [];
  const isServed = (group: Group, name: string): boolean =>
    (group.models.has("*") || group.models.has(name)) &&
    (candidates.get(`${group.name}\n${name}`)?.length ?? 0) > 0 &&
    (group.unpriced === "pass" || !unpriced.has(name));
  /**
   * Pairs of a group and a model that the group can call, through a channel for the model or for one of its fallbacks.
   */
  const callable = listGroupModelPairs(groups.values(), [...models.keys()], (group, name) => {
    const isListed = group.models.has("*") || group.models.has(name);
    return isListed && [name, ...fallbacksOf(name)].some((model) => isServed(group, model));
  });
  /** Draws one of a model's shares. Only shares whose model has a channel for the group take part. */
  const shareOf = (model: CatalogModel, group: string): CatalogModel => {
    const servable = [...(shares.get(model.name) ?? [])].filter(
      ([name]) => (candidates.get(`${group}\n${name}`)?.length ?? 0) > 0,
    );
    const share = drawByShare(servable, random);
    return (share === undefined ? undefined : models.get(share)) ?? model;
  };

  return {
    version: published.version,
    channels,
    vendorHosts: new Set(channels.flatMap(({ baseUrl }) => URL.parse(baseUrl)?.hostname ?? [])),
    group: (name) => groups.get(name),
    kindOf: (model) => models.get(model)?.kind,
    priceOf: (model) => models.get(model)?.price,
    modelsOf({ group: name, models: allowed }) {
      const group = groups.get(name);
      if (group === undefined) return [];
      return [...models.values()]
        .filter(
          (model) => callable.has(`${name}\n${model.name}`) && (allowed === undefined || allowed.includes(model.name)),
        )
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    resolve({ group: groupName, models: allowed }, name, kinds) {
      const group = groups.get(groupName);
      if (group === undefined) throw new Failure("group_not_allowed");
      const model = models.get(name);
      if (model === undefined || !callable.has(`${groupName}\n${name}`)) throw unknownModelFailure(name);
      if (allowed !== undefined && !allowed.includes(name))
        throw new Failure("model_not_allowed", `This key may not use the model ${JSON.stringify(name)}.`, {
          param: "model",
        });
      if (!kinds.includes(model.kind)) throw wrongKindFailure(model);
      return shares.has(model.name) ? shareOf(model, groupName) : model;
    },
    fallbacksOf,
    candidates: (model, group) => candidates.get(`${group}\n${model}`) ?? [],
  };
}

function compileGroup(name: string, group: GroupConfiguration): Group {
  const {
    multiplier = 1,
    limits = {},
    models,
    vendorStores = "refuse",
    unpriced = "drop",
    showChannel = false,
  } = group;
  return { name, multiplier, limits, models: new Set(models), vendorStores, unpriced, showChannel };
}

/** Finds the candidates of every model for every group. A model with shares has the candidates of all their models. */
function allCandidates(
  groups: readonly string[],
  models: readonly string[],
  {
    channels,
    shares,
  }: {
    readonly channels: readonly CatalogChannel[];
    readonly shares: ReadonlyMap<string, ReadonlyMap<string, number>>;
  },
): ReadonlyMap<string, readonly Candidate[]> {
  const all = new Map<string, readonly Candidate[]>();
  for (const group of groups) {
    for (const model of models) {
      const served = [...(shares.get(model)?.keys() ?? [model])];
      all.set(
        `${group}\n${model}`,
        served.flatMap((name) => findCandidates(channels, name, group)),
      );
    }
  }
  return all;
}

/** Returns the pairs of a group and a model that pass a test, as texts `group\nmodel`. */
function listGroupModelPairs(
  groups: Iterable<Group>,
  names: readonly string[],
  isIncluded: (group: Group, name: string) => boolean,
): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const group of groups)
    for (const name of names) if (isIncluded(group, name)) pairs.add(`${group.name}\n${name}`);
  return pairs;
}

function wrongKindFailure({ name, kind }: CatalogModel): Failure {
  return new Failure(
    "model_not_found",
    `The model ${JSON.stringify(name)} is for ${kind}, which this endpoint does not serve.`,
    { param: "model" },
  );
}

/** Creates the failure for a model that the caller cannot use. The failure does not show whether the model exists. */
export function unknownModelFailure(name: string): Failure {
  const shortName = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  return new Failure("model_not_found", `The model ${shortName} does not exist or this key cannot use it.`, {
    param: "model",
  });
}

function compileChannel(
  channel: PublishedChannel,
  decrypt: (encrypted: string, context: string) => string,
): CatalogChannel {
  return {
    id: channel.id,
    provider: channel.provider,
    baseUrl: channel.baseUrl,
    keys: channel.keys.map(({ id, sealed }) => ({ id, secret: decrypt(sealed, channelKeyId(channel.id, id)) })),
    models: upstreamNamesByModel(channel.models),
    costs: new Map(Object.entries(channel.costs ?? {})),
    wires: channel.wires,
    groups: channel.groups === undefined ? undefined : new Set(channel.groups),
    priority: channel.priority ?? 0,
    weight: channel.weight ?? 1,
    maxConcurrency: channel.maxConcurrency,
    keyConcurrency: channel.keyConcurrency,
    requestsPerMinute: channel.requestsPerMinute,
    timeoutMs: channel.timeoutMs ?? 600_000,
    firstByteTimeoutMs: channel.firstByteTimeoutMs,
    proxy: channel.proxy === undefined ? undefined : decrypt(channel.proxy, secretContext(channel.id, "proxy")),
    headers:
      channel.headers === undefined
        ? undefined
        : parseHeaders(decrypt(channel.headers, secretContext(channel.id, "headers"))),
    defaults: membersAsJson(channel.defaults),
    force: membersAsJson(channel.force),
    off: channel.off,
  };
}

function membersAsJson(
  members: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (members === undefined || Object.keys(members).length === 0) return undefined;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
}

function compileModel(name: string, model: PublishedModel): CatalogModel {
  const { kind, ownedBy = defaultOwner, price = {}, maxOutputTokens, contextTokens } = model;
  return {
    name,
    kind,
    ownedBy,
    price: compilePrice(price),
    resolutions: compileResolutions(price),
    maxOutputTokens,
    contextTokens,
    choice: model.choice,
  };
}

function sharesByModel(models: PublishedConfiguration["models"]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return new Map(
    Object.entries(models).flatMap(([name, { shares }]) =>
      shares === undefined ? [] : [[name, new Map(Object.entries(shares).filter(([, share]) => share > 0))]],
    ),
  );
}

function drawByShare(
  shares: readonly (readonly [name: string, share: number])[],
  random: () => number,
): string | undefined {
  let remaining = random() * shares.reduce((sum, [, share]) => sum + share, 0);
  return (shares.find(([, share]) => (remaining -= share) < 0) ?? shares.at(-1))?.[0];
}

function upstreamNamesByModel(
  models: readonly string[] | Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return Array.isArray(models) ? new Map(models.map((name: string) => [name, name])) : new Map(Object.entries(models));
}

function findCandidates(channels: readonly CatalogChannel[], model: string, group: string): readonly Candidate[] {
  return channels
    .flatMap((channel) => {
      const upstreamModel = channel.models.get(model);
      const isUsable = channel.off === undefined && (channel.groups === undefined || channel.groups.has(group));
      return upstreamModel === undefined || !isUsable
        ? []
        : [{ channel, upstreamModel, cost: channel.costs?.get(model) }];
    })
    .sort((left, right) => right.channel.priority - left.channel.priority);
}
