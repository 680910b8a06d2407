import type { Catalog } from "@modelgate/catalog";

const known = new WeakMap<Catalog, ReadonlySet<string>>();

/** Hosts of all channels' own addresses: a file there is in that vendor's store. */
export function vendorHosts(catalog: Catalog): ReadonlySet<string> {
  const hosts =
    known.get(catalog) ??
    new Set(catalog.channels.flatMap(({ baseUrl }) => (URL.canParse(baseUrl) ? [new URL(baseUrl).hostname] : [])));
  known.set(catalog, hosts);
  return hosts;
}
