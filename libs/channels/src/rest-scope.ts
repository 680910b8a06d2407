import { channelKeyId, type Candidate, type ChannelKey, type ChannelKeyId } from "@modelgate/catalog";

/**
 * Scope that rests, is switched off or is full: `channel`, `channel/key`, `channel#model` or `channel/key#model`, with
 * the vendor's name of the model. Identifiers of channels and keys contain neither `/` nor `#`.
 */
export type RestScope = string;

/** Separates scope and account in the name of an account's rest; no identifier contains it. */
const separator = "\n";

/** Returns the `channel/key` of a route. */
export function channelKeyIdOf({ candidate, key }: Route): ChannelKeyId {
  return channelKeyId(candidate.channel.id, key.id);
}

/** Returns the scope of a channel's model, by the vendor's name: a model that the vendor has removed rests alone. */
export function modelScope(channel: string, model: string): RestScope {
  return `${channel}#${model}`;
}

/** Returns the scope of a candidate's channel and model. */
export function modelScopeOf({ channel, upstreamModel }: Candidate): RestScope {
  return modelScope(channel.id, upstreamModel);
}

/** Returns the scope of a model with one key: vendors limit keys per model. */
export function keyModelScopeOf(route: Route): RestScope {
  return modelScope(channelKeyIdOf(route), route.candidate.upstreamModel);
}

/** Returns whether a scope equals another one or is a part of it: a channel's key or model, or a model with one key. */
export function isWithin(scope: RestScope, whole: RestScope): boolean {
  return scope === whole || scope.startsWith(`${whole}/`) || scope.startsWith(`${whole}#`);
}

/** Returns the channel of a scope. */
export function channelOfScope(scope: RestScope): string {
  return /^[^/#]*/.exec(scope)?.[0] ?? scope;
}

/** Returns a scope's name within its channel, including the account if it concerns only one. */
export function nameWithin(channel: string, scope: RestScope, account?: string): string {
  return restName(scope.slice(channel.length), account);
}

/** Returns the name of a rest: its scope, and the account if it concerns only one. */
export function restName(scope: RestScope, account?: string): string {
  return account === undefined ? scope : `${scope}${separator}${account}`;
}

/** Parses the name of a rest to its scope, and the only account that it concerns. */
export function parseRestName(name: string): { readonly scope: RestScope; readonly account: string | undefined } {
  const end = name.indexOf(separator);
  return end < 0
    ? { scope: name, account: undefined }
    : { scope: name.slice(0, end), account: name.slice(end + separator.length) };
}

/** A channel and one key of its pool, which one attempt uses. */
export interface Route {
  readonly candidate: Candidate;
  readonly key: ChannelKey;
}
