export type { Candidate, Catalog, CatalogChannel, CatalogModel, ChannelKey, Group, ModelScope } from "./catalog.ts";
export { channelKeyId, isChannelKeyId, type ChannelKeyId } from "./channel-key-id.ts";
export { priceVersionOf } from "./published-prices.ts";
export { alteredPrices, priceVersionsKey, publishedPrice } from "./published-prices.ts";
export { unknownModelFailure } from "./catalog.ts";
export { openCatalog, type CatalogHandle } from "./open-catalog.ts";
export { sharedCatalog } from "./open-catalog.ts";
export {
  publishConfiguration,
  publishedVersion,
  publishedKey,
  readPublishedConfiguration,
  type PublishedConfiguration,
  type PriceOrigin,
  type PublishedChannel,
  type PublishedModel,
  type ResolvedChannel,
  type ServedModels,
} from "./published.ts";
