import type { CatalogChannel } from "@modelgate/catalog";
import { modelPlaceOf, type ChannelStates } from "@modelgate/channels";

/**
 * How a channel, one key or one model of it stands:
 * - `ok`
 * - `resting`: it failed, and is not used until a time
 * - `trying`: its rest is over, and one call at a time finds out whether it works
 * - `disabled`: by an operator
 * - `refused`: a key that the vendor does not take; out until it is enabled or the configuration changes
 * - `off`: a key or an address is missing in the configuration
 * - `no key`: the channel could serve, but none of its keys can
 */
export interface PlaceView {
  readonly state: "ok" | "resting" | "trying" | "disabled" | "refused" | "off" | "no key";
  readonly reason?: string;
  /** RFC 3339. */
  readonly since?: string;
  /** RFC 3339; only while it rests. */
  readonly until?: string;
  /** Failures in a row. */
  readonly failures?: number;
}

/** What is known of the channels, at one time. */
export interface ChannelsSeen {
  readonly states: ChannelStates;
  /** Seats in use, by `channel` and `channel/key`. */
  readonly seats: ReadonlyMap<string, number>;
  /** Unix ms. */
  readonly now: number;
}

/** A channel as an operator sees it, key by key; secrets are not in it. */
export function channelView(channel: CatalogChannel, seen: ChannelsSeen) {
  const keys = channel.keys.map(({ id }) => ({
    id,
    ...placeView(`${channel.id}/${id}`, seen),
    seats: seatsView(`${channel.id}/${id}`, channel.keyConcurrency, seen),
  }));
  return {
    id: channel.id,
    provider: channel.provider,
    baseUrl: channel.baseUrl,
    models: [...channel.models.keys()],
    groups: channel.groups === undefined ? "all" : [...channel.groups],
    priority: channel.priority,
    weight: channel.weight,
    maxConcurrency: channel.maxConcurrency ?? null,
    keyConcurrency: channel.keyConcurrency ?? null,
    requestsPerMinute: channel.requestsPerMinute ?? null,
    ...stateOf(channel, seen, keys),
    seats: seatsView(channel.id, channel.maxConcurrency, seen),
    usableKeys: `${keys.filter(isUsable).length}/${keys.length}`,
    keys,
    modelsOut: modelsOut(channel, seen),
  };
}

/** Its models that are not used although the channel is: the vendor does not have them. */
function modelsOut(channel: CatalogChannel, seen: ChannelsSeen) {
  return [...channel.models].flatMap(([model, upstreamModel]) => {
    const view = placeView(modelPlaceOf({ channel, upstreamModel }), seen);
    return view.state === "ok" ? [] : [{ model, ...view }];
  });
}

function stateOf(channel: CatalogChannel, seen: ChannelsSeen, keys: readonly PlaceView[]): PlaceView {
  if (channel.off !== undefined) return { state: "off", reason: channel.off };
  const own = placeView(channel.id, seen);
  const [first] = keys;
  if (own.state !== "ok" || first === undefined || keys.some(isUsable)) return own;
  const { state, reason = "", since } = first;
  return { state: "no key", reason: `${state}: ${reason}`, ...(since === undefined ? {} : { since }) };
}

function isUsable({ state }: PlaceView): boolean {
  return state === "ok" || state === "trying";
}

function placeView(place: string, { states, now }: ChannelsSeen): PlaceView {
  const switched = states.switched.get(place);
  if (switched !== undefined) {
    const { reason, since, by } = switched;
    return { state: by === "vendor" ? "refused" : "disabled", reason, since };
  }
  const rest = states.coolDowns.get(place);
  if (rest === undefined) return { state: "ok" };
  const { reason, since, failures, until } = rest;
  return until > now
    ? { state: "resting", reason, since, failures, until: new Date(until).toISOString() }
    : { state: "trying", reason, since, failures };
}

/** Seats in use and how many there are; null where there is no limit. */
function seatsView(place: string, most: number | undefined, { seats }: ChannelsSeen) {
  return most === undefined ? null : { inUse: seats.get(place) ?? 0, most };
}
