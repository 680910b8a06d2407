import type { CatalogChannel } from "@modelgate/catalog";
import type { UpstreamWire } from "@modelgate/contracts";
import { providers, type Provider } from "@modelgate/providers";

/** A channel's vendor: how it is reached, and its supported wires, best first. */
export interface Vendor {
  readonly provider: Provider;
  readonly wires: readonly UpstreamWire[];
  /** The wires are the channel's setting or those of the vendor's own address, not what its family usually has. */
  readonly areStated: boolean;
}

/**
 * The vendor of a channel, with the wires that the channel is configured to, else those in which the provider serves a
 * model, by the vendor's name of it, at the channel's address. Undefined for a provider that this build does not know: a newer one published the configuration.
 */
export function vendorOf(
  { provider: name, baseUrl, wires }: Pick<CatalogChannel, "provider" | "baseUrl" | "wires">,
  model = "",
): Vendor | undefined {
  const provider = providers[name];
  const stated = wires ?? provider?.wiresAt?.(baseUrl, model);
  return provider && { provider, wires: stated ?? provider.wires, areStated: stated !== undefined };
}
