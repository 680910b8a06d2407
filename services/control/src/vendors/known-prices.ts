import { knownPrice } from "@modelgate/catalog/known-prices";
import { providers } from "@modelgate/providers";
import type { ListedModels, ListWish, OfferedModel } from "./list-models.ts";

/** Kinds of models that the catalogue prices by token. */
const byToken: ReadonlySet<string> = new Set(["chat", "completion", "embedding"]);

/** A vendor's model list, with each known price in the configuration's form. */
interface PricedModels extends Omit<ListedModels, "models"> {
  readonly models: readonly (Omit<OfferedModel, "price"> & { readonly price: object | null })[];
}

/**
 * Adds catalogue prices to a vendor's list where the vendor names none. Only for the provider's public address: other
 * servers with the same format have different prices.
 */
export function withKnownPrices(
  listed: ListedModels,
  { provider: name, baseUrl }: Pick<ListWish, "provider" | "baseUrl">,
  nowMs = Date.now(),
): PricedModels {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const { pricesAs } = provider ?? {};
  if (pricesAs === undefined || (provider?.baseUrl ?? baseUrl) !== baseUrl) return listed;
  const models = listed.models.map((model) => {
    if (model.price !== null || !byToken.has(model.kind)) return model;
    const known = knownPrice(pricesAs, model.id, nowMs);
    if (known === undefined) return model;
    return { ...model, price: known.price, contextTokens: model.contextTokens ?? known.contextTokens ?? null };
  });
  return { ...listed, models };
}
