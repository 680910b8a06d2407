import { Type, type Static } from "typebox";
import { withoutUndefined } from "../without-undefined.ts";
import { modelKinds } from "../endpoints/endpoint.ts";
import type { lengthFields, ToolPriceField } from "../money/price.ts";
import type { resolutionFields, ConfiguredPrices } from "../money/resolutions.ts";
import { upstreamWires } from "../upstream-wires.ts";

const noOtherMembers = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 200 });
const limit = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));
const timeout = (description: string, fallback?: number) =>
  Type.Optional(
    Type.Integer(
      withoutUndefined({
        minimum: 100,
        maximum: 86_400_000,
        description,
        default: fallback,
      }),
    ),
  );
const dollars = Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000 }));

export const maxProxyCharacters = 2_000;
const proxy = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: maxProxyCharacters, description }));

const members = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const budget = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }));

/** A group: the models that its API keys may use, and their price multiplier and limits. */
export const GroupConfiguration = Type.Object(
  {
    multiplier: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1_000_000, default: 1, description: "factor of the models' prices" }),
    ),
    models: Type.Array(name, { description: 'exact model names, or "*" for all models' }),
    limits: Type.Optional(
      Type.Object(
        {
          requestsPerMinute: limit("calls of each API key in a minute"),
          requestsPerDay: limit("calls of each API key in a UTC day"),
          tokensPerMinute: limit("model tokens of each API key in a minute"),
          concurrency: limit("open calls of each API key"),
          dollarsPerDay: budget("US dollars that an account's API keys of the group together may spend in a UTC day"),
          dollarsPerMonth: budget(
            "US dollars that an account's API keys of the group together may spend in a UTC month",
          ),
        },
        noOtherMembers,
      ),
    ),
    vendorStores: Type.Optional(
      Type.Enum(["refuse", "shared"], {
        default: "refuse",
        description:
          "what happens to ids of objects in a vendor's store that the account did not create through modelgate: they are refused, or shared with all accounts",
      }),
    ),
    unpriced: Type.Optional(
      Type.Enum(["drop", "refuse", "pass"], {
        default: "drop",
        description:
          "what happens to vendor-side tools and more expensive service tiers that have neither a configured nor a published price",
      }),
    ),
    showChannel: Type.Optional(
      Type.Boolean({
        default: false,
        description: "if true, headers of answers name the channel that served the call, and list all attempts",
      }),
    ),
  },
  noOtherMembers,
);
export type GroupConfiguration = Static<typeof GroupConfiguration>;

/** Prices for videos of at least a certain resolution, where they differ from the default prices. */
const ResolutionPriceConfiguration = Type.Object(
  { second: dollars, image: dollars, request: dollars } satisfies Record<(typeof resolutionFields)[number], unknown>,
  noOtherMembers,
);

const tokenPrices = {
  input: dollars,
  cachedInput: dollars,
  cacheWrite: dollars,
  cacheWrite1h: dollars,
  output: dollars,
  inputAudio: dollars,
  outputAudio: dollars,
  inputImage: dollars,
  outputImage: dollars,
} satisfies Record<(typeof lengthFields)[number], unknown>;

/** Prices for calls with more than `above` input tokens, where they differ from the default prices. */
const LengthPriceConfiguration = Type.Object(
  {
    above: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: "number of input tokens that a call must exceed",
    }),
    ...tokenPrices,
  },
  noOtherMembers,
);

/** Prices in US dollars per call of a vendor-side tool. */
const ToolPriceConfiguration = Type.Object(
  { webSearch: dollars, codeInterpreter: dollars, fileSearch: dollars, imageGeneration: dollars } satisfies Record<
    ToolPriceField,
    unknown
  >,
  noOtherMembers,
);

/** Prices in US dollars per million tokens or per unit. `priceFields` lists the price that replaces a missing one. */
export const PriceConfiguration = Type.Object(
  {
    ...tokenPrices,
    request: dollars,
    image: dollars,
    second: dollars,
    character: dollars,
    tiers: Type.Optional(
      Type.Array(LengthPriceConfiguration, {
        maxItems: 16,
        description: "prices for calls with more input tokens than `above`. They apply to all tokens of such a call",
      }),
    ),
    serviceTiers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[a-z][a-z0-9_-]{0,63}$" }),
        Type.Number({ minimum: 0, maximum: 1_000_000 }),
        { ...noOtherMembers, description: "factors of the prices by the vendor's service tier, for example flex: 0.5" },
      ),
    ),
    tools: Type.Optional(ToolPriceConfiguration),
    resolutions: Type.Optional(
      Type.Record(Type.String({ pattern: "^[1-9]\\d{1,4}p$" }), ResolutionPriceConfiguration, {
        ...noOtherMembers,
        description:
          "prices for videos of at least a resolution. Its name is the number of pixels of the shorter side, for example 1080p",
      }),
    ),
  } satisfies Record<keyof ConfiguredPrices, unknown>,
  noOtherMembers,
);

export type PriceConfiguration = Static<typeof PriceConfiguration>;

/** Ways to choose one of the channels with the same priority. */
export const channelChoices = ["weighted", "cheapest", "fastest"] as const;
export type ChannelChoice = (typeof channelChoices)[number];

export const ModelConfiguration = Type.Object(
  {
    kind: Type.Enum([...modelKinds]),
    ownedBy: Type.Optional(name),
    price: Type.Optional(
      Type.Union([PriceConfiguration, Type.Literal("auto")], {
        description:
          'prices in US dollars, or "auto" for those of the bundled catalogue. A model of the catalogue has the catalogue\'s prices if none are set',
      }),
    ),
    maxOutputTokens: limit("maximum tokens of one answer that the model's vendors allow"),
    contextTokens: limit("maximum tokens of input and answer together, which model lists show"),
    choice: Type.Optional(
      Type.Enum([...channelChoices], {
        default: "weighted",
        description:
          "which of the channels with equal priority a call uses: one by weight, the one with the cheapest published price, or the faster of two that are drawn at random, by the time to the first byte",
      }),
    ),
    fallbacks: Type.Optional(
      Type.Array(name, {
        minItems: 1,
        maxItems: 8,
        description:
          "models that serve the calls if all channels of this model are unavailable, in this order. Each charges its own price",
      }),
    ),
    shares: Type.Optional(
      Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1_000_000 }), {
        description:
          "models among which the calls are divided, each with its share. A model with shares has no channels",
      }),
    ),
  },
  noOtherMembers,
);
export type ModelConfiguration = Static<typeof ModelConfiguration>;

/** A channel in the configuration: access to a vendor. */
export const ChannelConfiguration = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" }),
    provider: name,
    baseUrl: Type.Optional(
      Type.String({
        pattern: "^(https?://|\\$\\{)",
        maxLength: 2000,
        description:
          "base URL in the form that the vendor's SDK uses. ${NAME} stands for an environment variable. Without baseUrl, this is the vendor's default",
      }),
    ),
    keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          "env:NAME, file:/path or the key itself. Without keys, the key is in the variable that the vendor's SDK reads",
      }),
    ),
    models: Type.Union([Type.Array(name, { minItems: 1 }), Type.Record(Type.String(), name), Type.Literal("*")], {
      description:
        'names of models, or a map of each name for clients to the name at the vendor, or "*" for all models that the vendor lists',
    }),
    wires: Type.Optional(
      Type.Array(Type.Enum([...upstreamWires]), {
        minItems: 1,
        description:
          "wires that this address supports, best first. Set this only if the vendor's usual wires are wrong for this address",
      }),
    ),
    groups: Type.Optional(Type.Array(name, { minItems: 1 })),
    priority: Type.Optional(Type.Integer({ minimum: -1000, maximum: 1000, default: 0 })),
    weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, default: 1 })),
    maxConcurrency: limit("open calls of all replicas together"),
    keyConcurrency: limit("open calls of each of the channel's keys, of all replicas together"),
    requestsPerMinute: limit("calls per minute, of all replicas together"),
    timeoutMs: timeout("maximum time in ms without data from the vendor", 600_000),
    firstByteTimeoutMs: timeout(
      "maximum time in ms until the first event of a stream. Without it, there is no maximum while the vendor sends comments",
    ),
    proxy: proxy(
      'proxy of all connections to the vendor: http://, https:// or socks5:// with a host and a port, or env:NAME. With "none", the channel does not use the default proxy',
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 4000 }), {
        description: "headers of every request to the vendor. A value may be env:NAME",
      }),
    ),
    defaults: members("fields that are added to JSON bodies to the vendor if the request does not have them"),
    force: members("fields that are set in JSON bodies to the vendor, even if the request has them"),
  },
  noOtherMembers,
);
export type ChannelConfiguration = Static<typeof ChannelConfiguration>;

export const TokenConfiguration = Type.Object(
  {
    key: Type.String({ pattern: "^sk-[A-Za-z0-9_-]{8,250}$" }),
    name: Type.Optional(name),
    group: name,
    models: Type.Optional(Type.Array(name, { minItems: 1 })),
    expiresAt: Type.Optional(Type.String({ description: "date, or date and time with the time zone" })),
    disabled: Type.Optional(Type.Boolean()),
    allowedAddresses: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        description: "IP addresses and CIDR ranges from which the key may be used",
      }),
    ),
    budget: Type.Optional(
      Type.Object(
        {
          dollarsPerDay: budget("US dollars that the API key may spend in a UTC day"),
          dollarsPerMonth: budget("US dollars that the API key may spend in a UTC month"),
        },
        noOtherMembers,
      ),
    ),
  },
  noOtherMembers,
);
export type TokenConfiguration = Static<typeof TokenConfiguration>;

/** An account in the configuration. It is created at start if it does not exist, and never overwritten. */
export const AccountConfiguration = Type.Object(
  {
    balance: Type.String({ pattern: "^\\d{1,9}(\\.\\d{1,9})?$", description: "US dollars" }),
    tokens: Type.Optional(Type.Array(TokenConfiguration)),
  },
  noOtherMembers,
);
export type AccountConfiguration = Static<typeof AccountConfiguration>;

/** The complete configuration file (one YAML document). */
export const Configuration = Type.Object(
  {
    groups: Type.Record(Type.String(), GroupConfiguration),
    models: Type.Record(Type.String(), ModelConfiguration),
    channels: Type.Array(ChannelConfiguration),
    proxy: proxy(
      "proxy of all channels that do not set a proxy: http://, https:// or socks5:// with a host and a port, or env:NAME",
    ),
    accounts: Type.Optional(Type.Record(Type.String(), AccountConfiguration)),
  },
  { $id: "Configuration", ...noOtherMembers },
);
export type Configuration = Static<typeof Configuration>;

/** A problem in a configuration, with its path, such as `channels[0].models.gpt-x`. */
export interface ConfigurationProblem {
  readonly path: string;
  readonly message: string;
}
