import type { PublishedModel } from "@modelgate/catalog";
import {
  inputTokenUnits,
  outputTokenUnits,
  priceFields,
  unitNames,
  type ConfigurationProblem,
  type ModelKind,
  type PriceField,
  type UnitName,
  type ConfiguredPrices,
} from "@modelgate/contracts";

const tokenUnits: readonly UnitName[] = [...inputTokenUnits, ...outputTokenUnits];
const textUnits: readonly UnitName[] = ["requests", ...unitNames.filter((unit) => tokenUnits.includes(unit))];
const textKinds: ReadonlySet<ModelKind> = new Set(["chat", "completion"]);
const textOnlyFields = ["tools", "serviceTiers"] as const;

/** Units of calls by kind of model. Prices of other units are never charged. */
const countedUnits: Readonly<Record<ModelKind, readonly UnitName[]>> = {
  chat: textUnits,
  completion: textUnits,
  moderation: textUnits,
  embedding: ["requests", "inputTokens"],
  rerank: ["requests", "inputTokens"],
  image: ["images", ...textUnits],
  video: ["requests", "seconds", "images"],
  transcription: ["requests", "seconds", "inputTokens", "inputAudioTokens", "outputTokens"],
  speech: ["requests", "characters", "inputTokens", "outputAudioTokens"],
  realtime: ["seconds", ...textUnits],
};

/** Pairs of prices. A model with the first one should have the second one. */
const expectedPairs: readonly (readonly [present: PriceField, expected: PriceField])[] = [
  ["output", "input"],
  ["cachedInput", "input"],
  ["outputAudio", "inputAudio"],
  ["inputAudio", "input"],
];
/** Price that a model with prices for input and output should have. */
const cachedInput: PriceField = "cachedInput";

/** Returns warnings about missing prices and about prices that are never charged. */
export function priceWarnings(models: Readonly<Record<string, PublishedModel>>): readonly ConfigurationProblem[] {
  return Object.entries(models).flatMap(([name, { kind, price = {}, priceOrigin, shares }]) => {
    const path = `models.${name}.price`;
    // Catalogue prices are complete. A model with shares is priced by its shares.
    if (priceOrigin !== undefined || shares !== undefined) return [];
    if (Object.keys(price).length === 0) return [{ path, message: "is missing: calls of this model cost nothing" }];
    const counted = countedUnits[kind];
    return [
      ...forgottenPrices(price).map((field) => ({
        path: `${path}.${field}`,
        message: `is missing: ${priceFields[field].unit} that a vendor reports cost ${substitutePrice(field, price)}`,
      })),
      ...textOnlyFields
        .filter((field) => price[field] !== undefined && !textKinds.has(kind))
        .map((field) => ({
          path: `${path}.${field}`,
          message: `is never used: models for ${kind} have no such price`,
        })),
      ...resolutionOnlyPrices(price).map((field) => ({
        path: `${path}.${field}`,
        message:
          "is missing: videos below the lowest resolution, and videos without a resolution in the request, cost nothing",
      })),
      ...fieldsOf(price)
        .filter((field) => !counted.includes(priceFields[field].unit))
        .map((field) => ({
          path: `${path}.${field}`,
          message: `is never used: calls of a model for ${kind} are counted in ${counted.join(", ")}`,
        })),
    ];
  });
}

/** Describes the price that is charged for a unit without a price. */
function substitutePrice(field: PriceField, price: ConfiguredPrices): string {
  const priced = priceFields[field];
  const substitute = "as" in priced ? priced.as.find((other) => price[other] !== undefined) : undefined;
  return substitute === undefined ? "nothing (set it to 0 if this is intended)" : `what ${substitute} does`;
}

/** Returns missing prices that the existing prices suggest. */
function forgottenPrices(price: ConfiguredPrices): readonly PriceField[] {
  const hasPrice = (field: PriceField): boolean => price[field] !== undefined;
  const expected = expectedPairs.filter(([field]) => hasPrice(field)).map(([, field]) => field);
  if (hasPrice("input") && hasPrice("output")) expected.push(cachedInput);
  return [...new Set(expected)].filter((field) => !hasPrice(field));
}

/** Returns the price fields that `resolutions` sets and the model's usual price does not. */
function resolutionOnlyPrices({ resolutions = {}, ...usual }: ConfiguredPrices): readonly string[] {
  const pricedFields = Object.values(resolutions).flatMap((price) => Object.keys(price));
  return [...new Set(pricedFields)].filter((field) => !Object.hasOwn(usual, field));
}

function fieldsOf(price: object): readonly PriceField[] {
  return Object.keys(price).filter((field): field is PriceField => Object.hasOwn(priceFields, field));
}
