import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";

/**
 * Scope that rests, is switched off or is full: `channel`, `channel/key`, `channel#model` or `channel/key#model`, models by
 * their vendor's name. Identifiers of channels and keys hold neither of the two marks.
 */
export type RestScope = string;

/** Stands between scope and account in the name of an account's rest: no identifier holds it. */
const separator = "\n";

/** The key that a route goes through. */
export function channelKeyIdOf({ candidate, key }: Route): ChannelKeyId {
  return channelKeyId(candidate.channel.id, key.id);
}

/** A channel's model, by the vendor's name of it: what a vendor has no more rests by itself. */
export function modelScope(channel: string, model: string): RestScope {
  return `${channel}#${model}`;
}

/** The channel's model that a candidate is. */
export function modelScopeOf({ channel, upstreamModel }: Candidate): RestScope {
  return modelScope(channel.id, upstreamModel);
}

/** A model with one key: vendors limit keys model by model. */
export function keyModelScopeOf(route: Route): RestScope {
  return modelScope(channelKeyIdOf(route), route.candidate.upstreamModel);
}

/** Returns whether a scope is another one or a part of it: a channel's key or model, or a model with one key. */
export function isWithin(scope: RestScope, whole: RestScope): boolean {
  return scope === whole || scope.startsWith(`${whole}/`) || scope.startsWith(`${whole}#`);
}

/** The channel that a scope is, or is a part of. */
export function channelOfScope(scope: RestScope): string {
  return /^[^/#]*/.exec(scope)?.[0] ?? scope;
}

/** A scope's name within its channel, with the account where it is about only one. */
export function nameWithin(channel: string, scope: RestScope, account?: string): string {
  return restName(scope.slice(channel.length), account);
}

/** The name of a rest: its scope, with the account where it concerns only one. */
export function restName(scope: RestScope, account?: string): string {
  return account === undefined ? scope : `${scope}${separator}${account}`;
}

/** The scope of a rest by its name, and the only account that it concerns. */
export function parseRestName(name: string): { readonly scope: RestScope; readonly account: string | undefined } {
  const end = name.indexOf(separator);
  return end < 0
    ? { scope: name, account: undefined }
    : { scope: name.slice(0, end), account: name.slice(end + separator.length) };
}

/** A channel and one key of its pool: what one attempt goes through. */
export interface Route {
  readonly candidate: Candidate;
  readonly key: ChannelKey;
}
