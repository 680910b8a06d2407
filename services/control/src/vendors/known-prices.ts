import { knownPrice } from "@modelgate/catalog/known-prices";
import { providers } from "@modelgate/providers";
import type { ListedModels, ModelListQuery, OfferedModel } from "./list-models.ts";

/** Kinds of models with prices per token. */
const tokenPricedKinds: ReadonlySet<string> = new Set(["chat", "completion", "embedding"]);

/** Listed models with known prices. */
interface PricedModels extends Omit<ListedModels, "models"> {
  readonly models: readonly (Omit<OfferedModel, "price"> & { readonly price: object | null })[];
}

/**
 * Adds catalogue prices to listed models without a price. A vendor with a public address gets them only there, because
 * other servers have other prices.
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
