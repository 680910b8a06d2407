import type { Catalog } from "@modelgate/catalog";

const known = new WeakMap<Catalog, ReadonlySet<string>>();

/** Hosts of all channels' own addresses: a file there is in that vendor's store. */
export function vendorHosts(catalog: Catalog): ReadonlySet<string> {
  const found = known.get(catalog);
  if (found !== undefined) return found;
  const hosts = catalog.channels.flatMap(({ baseUrl }) => (URL.canParse(baseUrl) ? [new URL(baseUrl).hostname] : []));
  const distinct = new Set(hosts);
  known.set(catalog, distinct);
  return distinct;
}
