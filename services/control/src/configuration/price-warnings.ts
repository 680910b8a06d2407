import {
  priceFields,
  type Configuration,
  type ConfigurationProblem,
  type ModelKind,
  type PriceField,
  type UnitName,
} from "@modelgate/contracts";

const textUnits: readonly UnitName[] = [
  "requests",
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
  "inputAudioTokens",
  "outputAudioTokens",
  "inputImageTokens",
  "outputImageTokens",
];

/** The units that calls of a kind of model are counted in; a price in any other is never paid. */
const countedIn: Readonly<Record<ModelKind, readonly UnitName[]>> = {
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

/** Prices in units that calls of their model are never counted in. */
export function priceWarnings(models: Configuration["models"]): readonly ConfigurationProblem[] {
  return Object.entries(models).flatMap(([name, { kind, price = {} }]) =>
    fieldsOf(price)
      .filter((field) => !countedIn[kind].includes(priceFields[field].unit))
      .map((field) => ({
        path: `models.${name}.price.${field}`,
        say: `is never paid: calls of a model for ${kind} are counted in ${countedIn[kind].join(", ")}`,
      })),
  );
}

function fieldsOf(price: object): readonly PriceField[] {
  return Object.keys(price).filter((field): field is PriceField => Object.hasOwn(priceFields, field));
}
