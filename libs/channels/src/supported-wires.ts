import type { UpstreamWire } from "@modelgate/contracts";
import type { Candidate, CatalogChannel } from "@modelgate/catalog";
import { BoundedMap } from "@modelgate/platform";
import { providers, type Provider } from "@modelgate/providers";

/** Time for which a missing or refusing endpoint is remembered. */
const rememberedMs = 600_000;

/**
 * Determines the wires in which a channel's vendor can be called, and remembers missing endpoints. A vendor at an
 * operator's address may lack a wire that its provider usually supports. The wire is tried once, and a 404 is
 * remembered.
 */
export class SupportedWires {
  readonly #missing = new BoundedMap<number>();
  readonly #refusing = new BoundedMap<number>();
  readonly #candidates = new WeakMap<Candidate, CandidateWires>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  supportsAny(candidate: Candidate, requested: readonly UpstreamWire[]): boolean {
    return this.choose(candidate, requested) !== undefined;
  }

  /** Returns the first of `usableWires`, or undefined. */
  choose<Wire extends UpstreamWire>(candidate: Candidate, requested: readonly Wire[]): Wire | undefined {
    return this.usableWires(candidate, requested)[0];
  }

  /**
   * Lists the wires that a call can be sent in now, best first: the client's wire, then the others in the vendor's
   * order. Wires whose endpoint recently refused calls of this model come last.
   */
  usableWires<Wire extends UpstreamWire>(candidate: Candidate, requested: readonly Wire[]): readonly Wire[] {
    const { vendor, orders } = this.#configured(candidate);
    // The stored order contains only wires of `requested`.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    let ordered = orders.get(requested) as readonly Wire[] | undefined;
    if (ordered === undefined) {
      const supported = vendor?.wires ?? [];
      const [clientWire] = requested;
      const others = supported.flatMap((wire) => requested.filter((each) => each === wire && each !== clientWire));
      ordered = clientWire !== undefined && supported.includes(clientWire) ? [clientWire, ...others] : others;
      orders.set(requested, ordered);
    }
    if (this.#missing.isEmpty && this.#refusing.isEmpty) return ordered;
    const available = ordered.filter((wire) => !isRemembered(this.#missing, candidate, wire, this.#now()));
    const isRefusing = (wire: Wire): boolean => isRemembered(this.#refusing, candidate, wire, this.#now());
    return [...available.filter((wire) => !isRefusing(wire)), ...available.filter(isRefusing)];
  }

  /** Returns the vendor of a candidate; undefined if this version lacks its provider. */
  vendorOf(candidate: Candidate): Vendor | undefined {
    return this.#configured(candidate).vendor;
  }

  #configured(candidate: Candidate): CandidateWires {
    const cached = this.#candidates.get(candidate);
    if (cached !== undefined) return cached;
    const vendor = vendorOf(candidate.channel, candidate.upstreamModel);
    const computed: CandidateWires = { vendor, orders: new WeakMap() };
    this.#candidates.set(candidate, computed);
    return computed;
  }

  /** Records that the vendor has no endpoint for this model and wire. */
  reportMissing(candidate: Candidate, wire: UpstreamWire): void {
    this.#missing.set(endpointName(candidate, wire), this.#now() + rememberedMs);
  }

  /**
   * Records that the vendor's endpoint for this wire refuses calls of this model that another endpoint may accept. The
   * wire is then tried last.
   */
  reportRefusing(candidate: Candidate, wire: UpstreamWire): void {
    this.#refusing.set(endpointName(candidate, wire), this.#now() + rememberedMs);
  }
}

/** A candidate's vendor, and its ordered wires for each `requested` list. */
interface CandidateWires {
  readonly vendor: Vendor | undefined;
  readonly orders: WeakMap<readonly UpstreamWire[], readonly UpstreamWire[]>;
}

function isRemembered(expiries: BoundedMap<number>, candidate: Candidate, wire: UpstreamWire, now: number): boolean {
  const until = expiries.get(endpointName(candidate, wire));
  return until !== undefined && until > now;
}

function endpointName({ channel, upstreamModel }: Candidate, wire: UpstreamWire): string {
  return `${channel.id}\n${upstreamModel}\n${wire}`;
}

/** The vendor of a channel: its provider, and the wires that it supports, best first. */
export interface Vendor {
  readonly provider: Provider;
  readonly wires: readonly UpstreamWire[];
}

/** Returns the vendor of a channel; undefined if this version lacks its provider. `model` is the vendor's name. */
export function vendorOf(
  { provider: name, baseUrl, wires }: Pick<CatalogChannel, "provider" | "baseUrl" | "wires">,
  model = "",
): Vendor | undefined {
  const provider = providers[name];
  const configuredWires = wires ?? provider?.wiresAt?.(baseUrl, model);
  return provider && { provider, wires: configuredWires ?? provider.wires };
}
