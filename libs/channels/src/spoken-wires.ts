import type { UpstreamWire } from "@modelgate/contracts";
import type { Candidate } from "@modelgate/catalog";
import { FoundOut } from "@modelgate/platform";
import { providers } from "@modelgate/providers";

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

  /** Whether there is any wire for such a call. */
  speaks(candidate: Candidate, wanted: readonly UpstreamWire[]): boolean {
    return this.choose(candidate, wanted) !== undefined;
  }

  /**
   * The wire that a call is sent in now: the client's own, which is the first of `wanted`, if the vendor speaks it; else
   * the one of `wanted` that the vendor prefers. Undefined if it speaks none of them.
   */
  choose<Wire extends UpstreamWire>(candidate: Candidate, wanted: readonly Wire[]): Wire | undefined {
    const spoken: readonly UpstreamWire[] =
      candidate.channel.wires ?? providers[candidate.channel.provider]?.wires ?? [];
    const isUsable = (wire: UpstreamWire): boolean => spoken.includes(wire) && !this.#isUnspoken(candidate, wire);
    const [own] = wanted;
    if (own !== undefined && isUsable(own)) return own;
    for (const wire of spoken) {
      const found = wanted.find((each) => each === wire);
      if (found !== undefined && isUsable(found)) return found;
    }
    return undefined;
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
