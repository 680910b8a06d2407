import type { CatalogChannel } from "@modelgate/catalog";
import { knownPrice, priceCatalogue } from "@modelgate/catalog/known-prices";
import { vendorOf, type Transport } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { cleanText } from "@modelgate/providers";
import { fetchModelList } from "../configuration/fetch-model-list.ts";
import { kindOfListed } from "../configuration/listed-kind.ts";

/**
 * Returns the models that a channel's vendor lists and the channel can serve, with their known prices. Throws Failure
 * (409) if there is no readable list.
 */
export async function listChannelModels(channel: CatalogChannel, transport: Transport) {
  const { provider: name, baseUrl, keys, proxy, headers } = channel;
  const { provider, wires } = vendorOf(channel) ?? {};
  const models = await fetchModelList(
    { provider: name, baseUrl, key: keys[0]?.secret, proxy, headers },
    transport,
  ).catch((error: unknown) => {
    const reason = cleanText(error instanceof Error ? error.message : String(error));
    throw new Failure("no_available_channel", `The channel's models cannot be listed: ${reason}.`, { status: 409 });
  });
  const { version, name: catalogue, day } = priceCatalogue;
  const names = models.map(({ name: model }) => model).toSorted();
  return names.flatMap((model) => {
    const kind = kindOfListed(model, wires);
    if (kind === undefined) return [];
    const price = provider?.pricesAs === undefined ? undefined : knownPrice(provider.pricesAs, model, Date.now());
    const free = provider?.isLocal === true ? {} : null;
    return {
      name: model,
      kind,
      price: price?.price ?? free,
      contextTokens: price?.contextTokens ?? null,
      from: price === undefined ? null : `${catalogue} ${version}: ${price.entry}, ${day}`,
    };
  });
}
