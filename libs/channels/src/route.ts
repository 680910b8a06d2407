import type { Candidate, ChannelKey } from "@modelgate/catalog";

/** A channel and one key of its pool: what one attempt goes through. */
export interface Route {
  readonly candidate: Candidate;
  readonly key: ChannelKey;
}
