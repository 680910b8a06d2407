/** Id of a channel's key, written `channel/key`. */
export type ChannelKeyId = `${string}/${string}`;

/** Joins the id of a channel and the id of one of its keys. */
export function channelKeyId(channel: string, key: string): ChannelKeyId {
  return `${channel}/${key}`;
}

/** Returns the context under which a channel's proxy or headers are encrypted in the published configuration. */
export function secretContext(channel: string, member: "proxy" | "headers"): string {
  return `${channel}#${member}`;
}

/** Returns true if a stored text is the id of a channel's key. */
export function isChannelKeyId(text: string): text is ChannelKeyId {
  return text.includes("/");
}
