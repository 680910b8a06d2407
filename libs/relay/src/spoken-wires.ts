import type { UpstreamWire } from "@modelgate/contracts";
import type { CatalogChannel } from "@modelgate/catalog";
import { providers, type Provider } from "@modelgate/providers";

/** How long a vendor that has no endpoint for a wire is not asked in it again. */
const unspokenMs = 600_000;
/** Most channels and wires that are remembered; beyond it the oldest is forgotten, and found out again. */
const mostRemembered = 10_000;

/**
 * Which wires the vendors behind the channels speak: what a channel is configured to, else what its provider usually
 * does, without those that this process has found missing. Vendors of one family differ in that, and say it with a 404.
 */
export class SpokenWires {
  readonly #unspoken = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The wire for a call: of those that the client can be served through, the first that the vendor speaks. */
  choose(channel: CatalogChannel, provider: Provider, wanted: readonly UpstreamWire[]): UpstreamWire | undefined {
    const spoken: readonly UpstreamWire[] = channel.wires ?? provider.wires;
    const [own] = wanted;
    const usable = spoken.filter((wire) => wanted.includes(wire) && !this.#isUnspoken(channel.id, wire));
    return own !== undefined && usable.includes(own) ? own : usable[0];
  }

  /** Whether there is any wire for such a call. */
  speaks(channel: CatalogChannel, wanted: readonly UpstreamWire[]): boolean {
    return this.chosen(channel, wanted) !== undefined;
  }

  /** The wire that a call would be sent in now; undefined: none. */
  chosen(channel: CatalogChannel, wanted: readonly UpstreamWire[]): UpstreamWire | undefined {
    const provider = providers[channel.provider];
    return provider === undefined ? undefined : this.choose(channel, provider, wanted);
  }

  /** The vendor has no endpoint for this wire. */
  missing(channelId: string, wire: UpstreamWire): void {
    const [oldest] = this.#unspoken.keys();
    if (this.#unspoken.size >= mostRemembered && oldest !== undefined) this.#unspoken.delete(oldest);
    this.#unspoken.set(place(channelId, wire), this.#now() + unspokenMs);
  }

  #isUnspoken(channelId: string, wire: UpstreamWire): boolean {
    const until = this.#unspoken.get(place(channelId, wire));
    return until !== undefined && until > this.#now();
  }
}

function place(channelId: string, wire: UpstreamWire): string {
  return `${channelId}\n${wire}`;
}
