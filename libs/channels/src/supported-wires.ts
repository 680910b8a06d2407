import type { UpstreamWire } from "@modelgate/contracts";
import type { Candidate, CatalogChannel } from "@modelgate/catalog";
import { BoundedMap } from "@modelgate/platform";
import { providers, type Provider } from "@modelgate/providers";

/** Time for which it is remembered that a vendor's endpoint is missing, or refuses a model's calls. */
const rememberedMs = 600_000;

/**
 * Wires that the vendors behind the channels speak: those that a channel is configured to, else what its provider usually
 * does, without those that this process has found missing. Vendors of one family differ in that, and say it with a 404;
 * so do the models of one vendor, some of which are served at an endpoint of their own, or served whole at one of two.
 */
export class SupportedWires {
  readonly #missing = new BoundedMap<number>();
  readonly #refusing = new BoundedMap<number>();
  readonly #candidates = new WeakMap<Candidate, KnownCandidate>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns whether there is any wire for such a call. */
  speaks(candidate: Candidate, wanted: readonly UpstreamWire[]): boolean {
    return this.choose(candidate, wanted) !== undefined;
  }

  /** The wire that a call is sent in if each says it as well: the first of `usable`. Undefined if the vendor speaks none. */
  choose<Wire extends UpstreamWire>(candidate: Candidate, wanted: readonly Wire[]): Wire | undefined {
    return this.usable(candidate, wanted)[0];
  }

  /**
   * The wires that a call can be sent in now, best first: the client's own, which is the first of `wanted`, then in the
   * vendor's order; at the end those whose endpoint has lately refused calls of this model for its own sake.
   */
  usable<Wire extends UpstreamWire>(candidate: Candidate, wanted: readonly Wire[]): readonly Wire[] {
    const ordered = this.#ordered(candidate, wanted);
    if (this.#missing.isEmpty && this.#refusing.isEmpty) return ordered;
    const known = ordered.filter((wire) => !isAt(this.#missing, candidate, wire, this.#now()));
    const isRefusing = (wire: Wire): boolean => isAt(this.#refusing, candidate, wire, this.#now());
    return [...known.filter((wire) => !isRefusing(wire)), ...known.filter(isRefusing)];
  }

  /** The wires in their order, whatever was found out of them: computed once for each candidate of a catalog. */
  #ordered<Wire extends UpstreamWire>(candidate: Candidate, wanted: readonly Wire[]): readonly Wire[] {
    const { vendor, orders } = this.#known(candidate);
    const kept = orders.get(wanted);
    // Only wires of `wanted` are in the order that was kept for it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (kept !== undefined) return kept as readonly Wire[];
    const supported = vendor?.wires ?? [];
    const [own] = wanted;
    const others = supported.flatMap((wire) => wanted.filter((each) => each === wire && each !== own));
    const ordered = own !== undefined && supported.includes(own) ? [own, ...others] : others;
    orders.set(wanted, ordered);
    return ordered;
  }

  /**
   * Returns whether the vendor is known to speak the wires: the channel says so, the vendor's own address does, or one of them has
   * refused a call for another's sake. Others of its family may lack some.
   */
  areKnown(candidate: Candidate, usable: readonly UpstreamWire[]): boolean {
    if (this.vendorOf(candidate)?.areStated === true) return true;
    if (this.#refusing.isEmpty) return false;
    return usable.some((wire) => isAt(this.#refusing, candidate, wire, this.#now()));
  }

  /** Returns the vendor behind a candidate; undefined for a provider that this build does not know. */
  vendorOf(candidate: Candidate): Vendor | undefined {
    return this.#known(candidate).vendor;
  }

  /** Returns what the configuration alone says of a candidate: found once for each candidate of a catalog. */
  #known(candidate: Candidate): KnownCandidate {
    const known = this.#candidates.get(candidate);
    if (known !== undefined) return known;
    const vendor = vendorOf(candidate.channel, candidate.upstreamModel);
    const found: KnownCandidate = { vendor, orders: new WeakMap() };
    this.#candidates.set(candidate, found);
    return found;
  }

  /** The vendor has no endpoint for this model in this wire. */
  missing(candidate: Candidate, wire: UpstreamWire): void {
    this.#missing.set(nameOf(candidate, wire), this.#now() + rememberedMs);
  }

  /** The endpoint of this wire refuses, for this model, what another endpoint of the vendor takes. */
  refusing(candidate: Candidate, wire: UpstreamWire): void {
    this.#refusing.set(nameOf(candidate, wire), this.#now() + rememberedMs);
  }
}

/** A candidate's vendor, and its wires in their order for each list of wires that was wanted. */
interface KnownCandidate {
  readonly vendor: Vendor | undefined;
  readonly orders: WeakMap<readonly UpstreamWire[], readonly UpstreamWire[]>;
}

function isAt(known: BoundedMap<number>, candidate: Candidate, wire: UpstreamWire, now: number): boolean {
  const until = known.get(nameOf(candidate, wire));
  return until !== undefined && until > now;
}

function nameOf({ channel, upstreamModel }: Candidate, wire: UpstreamWire): string {
  return `${channel.id}\n${upstreamModel}\n${wire}`;
}

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
