/** Id of a channel's key, written `channel/key`. The key's health and limits are stored under this id. */
export type ChannelKeyId = `${string}/${string}`;

/** Returns the id of a channel's key. */
export function channelKeyId(channel: string, key: string): ChannelKeyId {
  return `${channel}/${key}`;
}

/** Returns the context under which a channel's proxy is encrypted in the published configuration. */
export function proxyContext(channel: string): string {
  return `${channel}#proxy`;
}

/** Returns whether a stored text is the id of a channel's key. */
export function isChannelKeyId(text: string): text is ChannelKeyId {
  return text.includes("/");
}
