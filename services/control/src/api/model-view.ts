import { priceVersionOf, priceVersionsKey, type PublishedConfiguration, type PublishedModel } from "@modelgate/catalog";
import {
  compilePrice,
  priceFields,
  priceUnitText,
  toolPriceFields,
  type PriceField,
  type ConfiguredPrice,
} from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

interface PriceLine {
  /** Name of the amount in the configuration. */
  readonly field: string;
  readonly dollars: number;
  /** Unit of the amount, for example a million tokens. */
  readonly per: string;
  /** Source of the amount, or the field that is used instead. */
  readonly from: string;
  /** Date of the amount (YYYY-MM-DD): that of the catalogue, or of the first publication. */
  readonly day: string | null;
}

/**
 * Returns a model as operators see it, with its routes and the sources of its prices. Undefined if it does not exist.
 */
export async function modelView(redis: Redis, { models, channels }: PublishedConfiguration, name: string) {
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) return undefined;
  const { kind, ownedBy = null, contextTokens = null, choice = "weighted", fallbacks = [], shares = {} } = model;
  return {
    name,
    kind,
    ownedBy,
    contextTokens,
    choice,
    fallbacks,
    shares,
    price: await priceLines(redis, model),
    channels: channels.flatMap(({ id, provider, priority = 0, weight = 1, models: served, costs }) => {
      const upstreamModel = Array.isArray(served) ? served.find((each) => each === name) : served[name];
      if (upstreamModel === undefined) return [];
      return [{ id, provider, upstreamModel, priority, weight, compared: costs?.[name] ?? null }];
    }),
  };
}

async function priceLines(redis: Redis, { price = {}, priceOrigin }: PublishedModel): Promise<readonly PriceLine[]> {
  const from = priceOrigin === undefined ? "configuration" : `${priceOrigin.catalogue}: ${priceOrigin.entry}`;
  const day = priceOrigin?.day ?? (await findPublicationTime(redis, price));
  const { tiers = [], serviceTiers = {}, tools = {}, resolutions = {}, ...usual } = price;
  const line = (field: string, dollars: number | undefined, per: string): readonly PriceLine[] =>
    dollars === undefined ? [] : [{ field, dollars, per, from, day }];
  return [
    ...fieldsIn(priceFields).flatMap((field) => line(field, usual[field], priceUnitText(field))),
    ...fieldsIn(priceFields).flatMap((field) => substituteLine(field, usual)),
    ...tiers.flatMap(({ above, ...other }, at) =>
      fieldsIn(priceFields).flatMap((field) =>
        line(
          `tiers[${at}].${field}`,
          field in other ? numberField(other, field) : undefined,
          `${priceUnitText(field)}, input above ${above} tokens`,
        ),
      ),
    ),
    ...Object.entries(serviceTiers).flatMap(([tier, factor]) => line(`serviceTiers.${tier}`, factor, "factor")),
    ...fieldsIn(toolPriceFields).flatMap((tool) => line(`tools.${tool}`, tools[tool], "call")),
    ...Object.entries(resolutions).flatMap(([name, other]) =>
      Object.entries(other).flatMap(([field, dollars]) => line(`resolutions.${name}.${field}`, dollars, field)),
    ),
  ];
}

/** Returns the amount that applies to a unit without a price. */
function substituteLine(field: PriceField, usual: ConfiguredPrice): readonly PriceLine[] {
  const priced = priceFields[field];
  if (usual[field] !== undefined || !("as" in priced)) return [];
  const substitute = priced.as.find((other) => usual[other] !== undefined);
  const dollars = substitute === undefined ? undefined : usual[substitute];
  if (substitute === undefined || dollars === undefined) return [];
  return [{ field, dollars, per: priceUnitText(field), from: `charged as ${substitute}`, day: null }];
}

async function findPublicationTime(redis: Redis, price: ConfiguredPrice): Promise<string | null> {
  const text = await redis.hget(priceVersionsKey, priceVersionOf(compilePrice(price)));
  return /"publishedAt":"(\d{4}-\d\d-\d\d)/.exec(text ?? "")?.[1] ?? null;
}

function numberField(record: Readonly<Record<string, number | undefined>>, field: string): number | undefined {
  return record[field];
}

function fieldsIn<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table).filter((name): name is keyof Table & string => name in table);
}
