import { createHash } from "node:crypto";
import { Type, type Static } from "typebox";
import {
  ChannelConfiguration,
  GroupConfiguration,
  ModelConfiguration,
  PriceConfiguration,
  recordParser,
  UnknownShape,
  withoutUndefined,
} from "@modelgate/contracts";
import { makeCipher, type Redis, type Secrets } from "@modelgate/platform";
import { channelKeyId, secretContext } from "./channel-key-id.ts";

/** Redis key of the published configuration. `publishedChannel` announces a new one by pub/sub. */
export const publishedKey = "config:current";
export const publishedChannel = "config";
/** Purpose of the key that encrypts vendors' API keys in Redis. */
export const vendorKeysPurpose = "modelgate vendor keys";

/** Source of a price that the configuration does not set. */
const PriceOrigin = Type.Object({
  catalogue: Type.String({ description: "the catalogue's name and version" }),
  entry: Type.String({ description: "the name of the entry in the catalogue" }),
  day: Type.String({ description: "the day of the catalogue, YYYY-MM-DD" }),
});
export type PriceOrigin = Static<typeof PriceOrigin>;

/** A published model, with its complete price. */
const PublishedModel = Type.Object({
  ...ModelConfiguration.properties,
  price: Type.Optional(PriceConfiguration),
  priceOrigin: Type.Optional(PriceOrigin),
  isUnpriced: Type.Optional(
    Type.Boolean({
      description: "the vendor lists the model, but its price is unknown: only groups with `unpriced: pass` have it",
    }),
  ),
});
export type PublishedModel = Static<typeof PublishedModel>;

/** Models that a channel serves: a list of names, or a map from the gateway's names to the vendor's. */
export type ServedModels = Exclude<ChannelConfiguration["models"], "*">;

/** A channel with the values of its environment variables and key files. */
export interface ResolvedChannel {
  readonly configuration: ChannelConfiguration;
  /** Models that the channel serves. The default is the models in its configuration. */
  readonly models?: ServedModels | undefined;
  /** Models that the vendor lists but the channel does not serve, because other channels serve them. */
  readonly unserved?: readonly string[] | undefined;
  /** Known prices of the channel's models at its vendor, used only to compare channels. */
  readonly costs?: Readonly<Record<string, number>> | undefined;
  readonly baseUrl: string;
  readonly keys: readonly string[];
  /** URL of the proxy of the channel's connections. It may contain a password. */
  readonly proxy?: string | undefined;
  /** Headers of every request, with the values of variables. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Reason why the channel cannot serve: a missing key or address. */
  readonly off?: string | undefined;
}

/** A channel in the published configuration, with its keys, proxy and headers encrypted. */
export interface PublishedChannel extends Omit<
  ChannelConfiguration,
  "keys" | "baseUrl" | "models" | "proxy" | "headers"
> {
  readonly models: ServedModels;
  readonly costs?: Readonly<Record<string, number>> | undefined;
  readonly baseUrl: string;
  readonly keys: readonly { readonly id: string; readonly sealed: string }[];
  readonly proxy?: string | undefined;
  readonly headers?: string | undefined;
  readonly off?: string | undefined;
}

/** The configuration in the form that control publishes, without accounts. */
export interface PublishedConfiguration {
  readonly version: string;
  readonly publishedAt: string;
  readonly groups: Readonly<Record<string, GroupConfiguration>>;
  readonly models: Readonly<Record<string, PublishedModel>>;
  readonly channels: readonly PublishedChannel[];
}

const { keys: _keys, proxy: _proxy, headers: _headers, ...channelProperties } = ChannelConfiguration.properties;

/** Parses the published configuration. Throws UnknownShape. */
export const readPublished: (text: string) => PublishedConfiguration = recordParser(
  "configuration",
  Type.Object({
    version: Type.String(),
    publishedAt: Type.String(),
    groups: Type.Record(Type.String(), GroupConfiguration),
    models: Type.Record(Type.String(), PublishedModel),
    channels: Type.Array(
      Type.Object({
        ...channelProperties,
        baseUrl: Type.String(), // environment variables are replaced; empty if one of them is missing
        models: Type.Union([Type.Array(Type.String()), Type.Record(Type.String(), Type.String())]),
        costs: Type.Optional(Type.Record(Type.String(), Type.Number())),
        keys: Type.Array(Type.Object({ id: Type.String(), sealed: Type.String() })),
        proxy: Type.Optional(Type.String()), // encrypted, like the headers
        headers: Type.Optional(Type.String()),
        off: Type.Optional(Type.String()),
      }),
    ),
  }),
);
/** Reads the published configuration. Throws UnknownShape. */
export async function readPublishedConfiguration(redis: Redis): Promise<PublishedConfiguration | undefined> {
  const text = await redis.get(publishedKey);
  return text === null ? undefined : readPublished(text);
}

/** Parses the decrypted headers of a channel. Throws UnknownShape. */
export const parseHeaders = recordParser("headers of a channel", Type.Record(Type.String(), Type.String()));
const readVersion = recordParser("configuration", Type.Object({ version: Type.String() }));

/** Last text and its version. Control reads the version every two seconds. */
let lastRead = { text: "", version: "" };

/** Reads the version of the published configuration; undefined if it cannot be read. */
export async function publishedVersion(redis: Redis): Promise<string | undefined> {
  try {
    const text = await redis.get(publishedKey);
    if (text === null) return undefined;
    if (text !== lastRead.text) lastRead = { text, version: readVersion(text).version };
    return lastRead.version;
  } catch (error) {
    if (error instanceof UnknownShape) return undefined;
    throw error;
  }
}

/** Encrypts the keys, proxies and headers of channels, and publishes a configuration. Returns its version. */
export async function publishConfiguration(
  redis: Redis,
  { groups, models }: Pick<PublishedConfiguration, "groups" | "models">,
  channels: readonly ResolvedChannel[],
  secrets: Secrets,
): Promise<string> {
  const cipher = makeCipher(secrets, vendorKeysPurpose);
  const encryptedChannels = channels.map(
    ({ configuration, models: served, costs, baseUrl, keys, proxy, headers, off }): PublishedChannel =>
      withoutUndefined({
        ...configuration,
        models: served ?? (configuration.models === "*" ? [] : configuration.models),
        costs,
        baseUrl,
        keys: keys.map((key) => {
          const id = digestOf(key);
          return { id, sealed: cipher.encrypt(key, channelKeyId(configuration.id, id)) };
        }),
        proxy: proxy === undefined ? undefined : cipher.encrypt(proxy, secretContext(configuration.id, "proxy")),
        headers:
          headers === undefined
            ? undefined
            : cipher.encrypt(JSON.stringify(headers), secretContext(configuration.id, "headers")),
        off,
      }),
  );
  const content = {
    groups,
    models,
    // Encryption gives a different text each time, so the version depends on digests of the plain values.
    channels: encryptedChannels.map(({ keys, proxy: _proxy, headers: _encrypted, ...channel }, index) => [
      channel,
      keys.map(({ id }) => id),
      digestOf(JSON.stringify([channels[index]?.proxy, channels[index]?.headers])),
    ]),
  };
  const version = digestOf(JSON.stringify(content));
  const published: PublishedConfiguration = {
    version,
    publishedAt: new Date().toISOString(),
    groups,
    models,
    channels: encryptedChannels,
  };
  await redis.set(publishedKey, JSON.stringify(published));
  await redis.publish(publishedChannel, version);
  return version;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
