import { withoutUndefined, proxyAddress } from "@modelgate/contracts";
import { type CatalogChannel, channelKeyId } from "@modelgate/catalog";
import {
  isWithin,
  keyModelScopeOf,
  modelScopeOf,
  parseCooldownName,
  type ChannelStates,
  type Cooldown,
  type ChannelScope,
} from "@modelgate/channels";

/** Maximum number of shown cooldowns that concern a single account. */
const maxAccountsShown = 20;

/**
 * State of a channel, or of one of its keys or models:
 * - `ok`
 * - `cooldown`: not used until a time, after failures
 * - `probing`: its cooldown has ended, and one call at a time tests whether it works
 * - `disabled`: by an operator
 * - `refused`: a key that the vendor rejects; it is retried after its cooldown
 * - `off`: the channel has no usable key, address, proxy, headers or list of models
 * - `no key`: the channel could serve, but none of its keys can
 */
export interface StateView {
  readonly state: "ok" | "cooldown" | "probing" | "disabled" | "refused" | "off" | "no key";
  readonly reason?: string;
  /** Vendor's message in one line. */
  readonly vendorMessage?: string;
  /** Start of the last cooldown or of the disabled state (RFC 3339). */
  readonly since?: string;
  /** End of the cooldown (RFC 3339). */
  readonly until?: string;
  /** Number of consecutive cooldowns, including the current one. */
  readonly consecutiveCooldowns?: number;
}

/** Cooldown of a channel, key or model for one account only. */
export interface AccountCooldownView extends StateView {
  readonly account: string;
  readonly scope: ChannelScope;
}

/** State of all channels at one time. */
export interface ChannelsSnapshot {
  readonly states: ChannelStates;
  /** Concurrent calls by `channel` and `channel/key`. */
  readonly seats: ReadonlyMap<string, number>;
  /** Number of calls by channel whose reported usage was above the possible maximum. */
  readonly capped: ReadonlyMap<string, number>;
  readonly now: number;
}

/** Returns a channel and its keys as operators see them, without secrets. */
export function channelView(channel: CatalogChannel, seen: ChannelsSnapshot) {
  const keys = channel.keys.map(({ id }) => ({
    id,
    ...stateView(channelKeyId(channel.id, id), seen),
    seats: seatsView(channelKeyId(channel.id, id), channel.keyConcurrency, seen),
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
    proxy: channel.proxy === undefined ? null : proxyAddress(channel.proxy),
    headers: Object.keys(channel.headers ?? {}),
    defaults: Object.keys(channel.defaults ?? {}),
    force: Object.keys(channel.force ?? {}),
    ...stateOf(channel, seen, keys),
    seats: seatsView(channel.id, channel.maxConcurrency, seen),
    usableKeys: `${keys.filter(isUsable).length}/${keys.length}`,
    keys,
    cappedCalls: seen.capped.get(channel.id) ?? 0,
    affectedModels: modelCooldownViews(channel, seen),
    ...accountCooldownViews(channel, seen),
  };
}

/** Returns the cooldowns for single accounts, the longest first, and the number of affected accounts. */
function accountCooldownViews({ id }: CatalogChannel, { states, now }: ChannelsSnapshot) {
  const cooldowns = [...states.accountCooldowns].filter(
    ([name, { until }]) => until > now && isWithin(parseCooldownName(name).scope, id),
  );
  const shown = cooldowns.toSorted(([, left], [, right]) => right.until - left.until).slice(0, maxAccountsShown);
  return {
    accountCooldowns: shown.map(([name, cooldown]): AccountCooldownView => ({
      account: cooldown.account ?? "",
      scope: parseCooldownName(name).scope,
      ...cooldownView(cooldown, now),
    })),
    accountsInCooldown: new Set(cooldowns.map(([, { account }]) => account)).size,
  };
}

/** Returns the models whose state is not `ok`. */
function modelCooldownViews(channel: CatalogChannel, seen: ChannelsSnapshot) {
  return [...channel.models].flatMap(([model, upstreamModel]) => {
    const candidate = { channel, upstreamModel };
    const view = { model, ...stateView(modelScopeOf(candidate), seen) };
    const byKey = channel.keys.map((key) => ({
      model,
      key: key.id,
      ...stateView(keyModelScopeOf({ candidate, key }), seen),
    }));
    return [view, ...byKey].filter(({ state }) => state !== "ok");
  });
}

function stateOf(channel: CatalogChannel, seen: ChannelsSnapshot, keys: readonly StateView[]): StateView {
  if (channel.off !== undefined) return { state: "off", reason: channel.off };
  const channelState = stateView(channel.id, seen);
  const [first] = keys;
  if (channelState.state !== "ok" || first === undefined || keys.some(isUsable)) return channelState;
  const { state, reason = "", vendorMessage, since } = first;
  return withoutUndefined({ state: "no key", reason: `${state}: ${reason}`, vendorMessage, since });
}

function isUsable({ state }: StateView): boolean {
  return state === "ok" || state === "probing";
}

function stateView(scope: ChannelScope, { states, now }: ChannelsSnapshot): StateView {
  const switched = states.switchedOff.get(scope);
  if (switched !== undefined) {
    const { reason, since } = switched;
    return { state: "disabled", reason, since };
  }
  const cooldown = states.cooldowns.get(scope);
  return cooldown === undefined ? { state: "ok" } : cooldownView(cooldown, now);
}

function cooldownView(
  { kind, reason, vendorMessage, since, consecutiveCooldowns, until }: Cooldown,
  now: number,
): StateView {
  if (until <= now) return withoutUndefined({ state: "probing", reason, vendorMessage, since, consecutiveCooldowns });
  const state = kind === "refused" ? "refused" : "cooldown";
  return withoutUndefined({
    state,
    reason,
    vendorMessage,
    since,
    consecutiveCooldowns,
    until: new Date(until).toISOString(),
  });
}

function seatsView(scope: ChannelScope, limit: number | undefined, { seats }: ChannelsSnapshot) {
  return limit === undefined ? null : { inUse: seats.get(scope) ?? 0, max: limit };
}
