import { knownPrice } from "@modelgate/catalog/known-prices";
import { providers } from "@modelgate/providers";
import type { ListedModels, ListWish, OfferedModel } from "./list-models.ts";

/** A kind of models that the catalogue prices by the token. */
const byToken: ReadonlySet<string> = new Set(["chat", "completion", "embedding"]);

/** A vendor's list, each model with the price that is known of it, as a configuration writes it. */
interface PricedModels extends Omit<ListedModels, "models"> {
  readonly models: readonly (Omit<OfferedModel, "price"> & { readonly price: object | null })[];
}

/**
 * A vendor's list with the catalogue's prices where the vendor names none: of a provider's own address alone, since who else
 * speaks its formats has prices of their own.
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
