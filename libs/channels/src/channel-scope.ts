import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";

/**
 * Part of a channel that can be in a cooldown, switched off or full: `channel`, `channel/key`, `channel#model` or
 * `channel/key#model`. The model has the vendor's name.
 */
export type ChannelScope = string;

/** Separates scope and account in the name of a cooldown. Ids do not contain it. */
const separator = "\n";

/** Returns the `channel/key` of a route. */
export function channelKeyIdOf({ candidate, key }: Route): ChannelKeyId {
  return channelKeyId(candidate.channel.id, key.id);
}

/** Returns the scope of one model (by the vendor's name) of a channel, or of a `channel/key`. */
export function modelScope(channel: string, model: string): ChannelScope {
  return `${channel}#${model}`;
}

/** Returns the scope of a candidate's channel and model. */
export function modelScopeOf({ channel, upstreamModel }: Candidate): ChannelScope {
  return modelScope(channel.id, upstreamModel);
}

/** Returns the scope of a model with one key. Vendors limit each key per model. */
export function keyModelScopeOf(route: Route): ChannelScope {
  return modelScope(channelKeyIdOf(route), route.candidate.upstreamModel);
}

/** Returns true if a scope is `container` or a part of it. */
export function isWithin(scope: ChannelScope, container: ChannelScope): boolean {
  return scope === container || scope.startsWith(`${container}/`) || scope.startsWith(`${container}#`);
}

/** Returns the channel id at the beginning of a scope. */
export function channelOfScope(scope: ChannelScope): string {
  return /^[^/#]*/.exec(scope)?.[0] ?? scope;
}

/** Returns the name of a cooldown without the channel id at its beginning. It is unique within the channel. */
export function nameInChannel(channel: string, scope: ChannelScope, account?: string): string {
  return cooldownName(scope.slice(channel.length), account);
}

/** Returns the name of a cooldown: its scope, and the account if it concerns only one. */
export function cooldownName(scope: ChannelScope, account?: string): string {
  return account === undefined ? scope : `${scope}${separator}${account}`;
}

/** Parses the name of a cooldown into its scope and its account, if it has one. */
export function parseCooldownName(name: string): {
  readonly scope: ChannelScope;
  readonly account: string | undefined;
} {
  const end = name.indexOf(separator);
  return end < 0
    ? { scope: name, account: undefined }
    : { scope: name.slice(0, end), account: name.slice(end + separator.length) };
}

/** A channel and one of its keys. */
export interface Route {
  readonly candidate: Candidate;
  readonly key: ChannelKey;
}
