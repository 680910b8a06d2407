import { knownPrice } from "@modelgate/catalog/known-prices";
import { providers } from "@modelgate/providers";
import type { ListedModels, ModelListQuery, OfferedModel } from "./list-models.ts";

/** Kinds of models for which the catalogue has prices per token. */
const tokenPricedKinds: ReadonlySet<string> = new Set(["chat", "completion", "embedding"]);

/** Models that a vendor lists, with known prices in the form of the configuration. */
interface PricedModels extends Omit<ListedModels, "models"> {
  readonly models: readonly (Omit<OfferedModel, "price"> & { readonly price: object | null })[];
}

/**
 * Adds prices and context lengths of the catalogue to listed models for which the vendor names no price. If the vendor
 * has a public address, adds them only there, because other servers with the same API have different prices.
 */
export function withKnownPrices(
  listed: ListedModels,
  { provider: name, baseUrl }: Pick<ModelListQuery, "provider" | "baseUrl">,
  nowMs = Date.now(),
): PricedModels {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const { pricesAs } = provider ?? {};
  if (pricesAs === undefined || (provider?.baseUrl ?? baseUrl) !== baseUrl) return listed;
  const models = listed.models.map((model) => {
    if (model.price !== null || !tokenPricedKinds.has(model.kind)) return model;
    const catalogPrice = knownPrice(pricesAs, model.id, nowMs);
    if (catalogPrice === undefined) return model;
    return {
      ...model,
      price: catalogPrice.price,
      contextTokens: model.contextTokens ?? catalogPrice.contextTokens ?? null,
    };
  });
  return { ...listed, models };
}
