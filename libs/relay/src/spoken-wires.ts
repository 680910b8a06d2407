import type { UpstreamWire } from "@modelgate/contracts";
import type { Candidate } from "@modelgate/catalog";
import { providers, type Provider } from "@modelgate/providers";
import { FoundOut } from "./found-out.ts";

/** How long a vendor that has no endpoint for a wire is not asked in it again. */
const unspokenMs = 600_000;

/**
 * Which wires the vendors behind the channels speak: what a channel is configured to, else what its provider usually
 * does, without those that this process has found missing. Vendors of one family differ in that, and say it with a 404;
 * so do the models of one vendor, some of which are served at an endpoint of their own.
 */
export class SpokenWires {
  readonly #unspoken = new FoundOut<number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The wire for a call: of those that the client can be served through, the first that the vendor speaks. */
  choose(candidate: Candidate, provider: Provider, wanted: readonly UpstreamWire[]): UpstreamWire | undefined {
    const spoken: readonly UpstreamWire[] = candidate.channel.wires ?? provider.wires;
    const [own] = wanted;
    const usable = spoken.filter((wire) => wanted.includes(wire) && !this.#isUnspoken(candidate, wire));
    return own !== undefined && usable.includes(own) ? own : usable[0];
  }

  /** Whether there is any wire for such a call. */
  speaks(candidate: Candidate, wanted: readonly UpstreamWire[]): boolean {
    return this.chosen(candidate, wanted) !== undefined;
  }

  /** The wire that a call would be sent in now; undefined: none. */
  chosen(candidate: Candidate, wanted: readonly UpstreamWire[]): UpstreamWire | undefined {
    const provider = providers[candidate.channel.provider];
    return provider === undefined ? undefined : this.choose(candidate, provider, wanted);
  }

  /** The vendor has no endpoint for this model in this wire. */
  missing(candidate: Candidate, wire: UpstreamWire): void {
    this.#unspoken.set(place(candidate, wire), this.#now() + unspokenMs);
  }

  #isUnspoken(candidate: Candidate, wire: UpstreamWire): boolean {
    const until = this.#unspoken.get(place(candidate, wire));
    return until !== undefined && until > this.#now();
  }
}

function place({ channel, upstreamModel }: Candidate, wire: UpstreamWire): string {
  return `${channel.id}\n${upstreamModel}\n${wire}`;
}
