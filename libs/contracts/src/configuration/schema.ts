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

/** Maximum characters of a proxy's URL. */
export const maxProxyCharacters = 2_000;
const proxy = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: maxProxyCharacters, description }));

const members = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const budget = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }));

/** A group: the models that its API keys may use, and their price multiplier and limits. */
export const GroupConfiguration = Type.Object(
  {
    multiplier: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1_000_000, default: 1, description: "price multiplier" }),
    ),
    models: Type.Array(name, { description: 'exact model names, or "*" for all' }),
    limits: Type.Optional(
      Type.Object(
        {
          requestsPerMinute: limit("per token"),
          requestsPerDay: limit("per token, in a day of UTC"),
          tokensPerMinute: limit("per token"),
          concurrency: limit("open calls per token"),
          dollarsPerDay: budget("US dollars that an account's tokens of the group may spend per UTC day"),
          dollarsPerMonth: budget("the same for a month"),
        },
        noOtherMembers,
      ),
    ),
    vendorStores: Type.Optional(
      Type.Enum(["refuse", "shared"], {
        default: "refuse",
        description: "ids in a vendor's store that the account did not make through this gateway",
      }),
    ),
    unpriced: Type.Optional(
      Type.Enum(["drop", "refuse", "pass"], {
        default: "drop",
        description:
          "handling of vendor-side tools and more expensive service tiers without any price, not even a published one",
      }),
    ),
    showChannel: Type.Optional(
      Type.Boolean({
        default: false,
        description: "report in headers which channel served a call, and what was tried",
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
    above: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "input tokens of the call" }),
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

/**
 * Prices in US dollars per million tokens or per unit. Each price is optional. A missing price is replaced by a related
 * one (`priceFields`), or is 0.
 */
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
        description: "prices for calls with more input tokens than `above`; they apply to the whole call",
      }),
    ),
    serviceTiers: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[a-z][a-z0-9_-]{0,63}$" }),
        Type.Number({ minimum: 0, maximum: 1_000_000 }),
        { ...noOtherMembers, description: "factors of a vendor's service tiers, as flex: 0.5" },
      ),
    ),
    tools: Type.Optional(ToolPriceConfiguration),
    resolutions: Type.Optional(
      Type.Record(Type.String({ pattern: "^[1-9]\\d{1,4}p$" }), ResolutionPriceConfiguration, {
        ...noOtherMembers,
        description:
          "prices for videos from a resolution upwards, named by the pixels of its shorter side, for example 1080p",
      }),
    ),
  } satisfies Record<keyof ConfiguredPrices, unknown>,
  noOtherMembers,
);

export type PriceConfiguration = Static<typeof PriceConfiguration>;

/** Ways to choose one of the channels with the same priority. */
export const channelChoices = ["weighted", "cheapest", "fastest"] as const;
export type ChannelChoice = (typeof channelChoices)[number];

/** A model in the configuration. */
export const ModelConfiguration = Type.Object(
  {
    kind: Type.Enum([...modelKinds]),
    ownedBy: Type.Optional(name),
    price: Type.Optional(
      Type.Union([PriceConfiguration, Type.Literal("auto")], {
        description: 'US dollars; "auto": from the bundled catalogue, as for a known model that names none',
      }),
    ),
    maxOutputTokens: limit("maximum tokens of one answer, as the model's vendors limit it"),
    contextTokens: limit("maximum tokens of input and answer together; shown in model lists"),
    choice: Type.Optional(
      Type.Enum([...channelChoices], {
        default: "weighted",
        description:
          "among channels of one priority: by weight, the cheapest by what its vendor is known to charge, or the fastest to the first byte",
      }),
    ),
    fallbacks: Type.Optional(
      Type.Array(name, {
        minItems: 1,
        maxItems: 8,
        description:
          "other models that serve its calls, in this order and at their own price, when all of its channels are unavailable",
      }),
    ),
    shares: Type.Optional(
      Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1_000_000 }), {
        description: "instead of channels: the models that its calls are split between, with the share of each",
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
          "base URL as the vendor's SDK takes it; ${NAME} is read from the environment; absent: the vendor's default",
      }),
    ),
    keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: "env:NAME, file:/path or the key itself; absent: the variable that the vendor's own SDK reads",
      }),
    ),
    models: Type.Union([Type.Array(name, { minItems: 1 }), Type.Record(Type.String(), name), Type.Literal("*")], {
      description: 'names, or {gateway name: upstream name}, or "*": all that the vendor lists',
    }),
    wires: Type.Optional(
      Type.Array(Type.Enum([...upstreamWires]), {
        minItems: 1,
        description:
          "the wire formats that this address supports, best first; needed only where the provider's usual ones are wrong",
      }),
    ),
    groups: Type.Optional(Type.Array(name, { minItems: 1 })),
    priority: Type.Optional(Type.Integer({ minimum: -1000, maximum: 1000, default: 0 })),
    weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, default: 1 })),
    maxConcurrency: limit("open calls, across all replicas"),
    keyConcurrency: limit("open calls of each key, across all replicas"),
    requestsPerMinute: limit("calls per minute, across all replicas"),
    timeoutMs: timeout("longest silence", 600_000),
    firstByteTimeoutMs: timeout("maximum wait for the first byte of a stream; timeoutMs where absent"),
    proxy: proxy(
      "proxy of all connections to the vendor: http://, https:// or socks5:// with a host and a port, or env:NAME; none: without the default proxy",
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 4000 }), {
        description: "headers of every request to the vendor; a value may be env:NAME",
      }),
    ),
    defaults: members("fields added to JSON bodies to the vendor if the request does not have them"),
    force: members("fields set in JSON bodies to the vendor, even if the request has them"),
  },
  noOtherMembers,
);
export type ChannelConfiguration = Static<typeof ChannelConfiguration>;

/** An API key of an account in the configuration. */
export const TokenConfiguration = Type.Object(
  {
    key: Type.String({ pattern: "^sk-[A-Za-z0-9_-]{8,250}$" }),
    name: Type.Optional(name),
    group: name,
    models: Type.Optional(Type.Array(name, { minItems: 1 })),
    expiresAt: Type.Optional(Type.String({ description: "a date, or a date and time with its zone" })),
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
          dollarsPerDay: budget("US dollars that the token may spend per UTC day"),
          dollarsPerMonth: budget("the same for a month"),
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
    proxy: proxy("proxy of the channels that name none: an address as in a channel, or env:NAME"),
    accounts: Type.Optional(Type.Record(Type.String(), AccountConfiguration)),
  },
  { $id: "Configuration", ...noOtherMembers },
);
export type Configuration = Static<typeof Configuration>;

/** A problem in a configuration, with its path, for example `channels[0].models.gpt-x`. */
export interface ConfigurationProblem {
  readonly path: string;
  readonly message: string;
}
