/** One key of a channel, written `channel/key`: what a call went through, and where the next one of its conversation goes. */
export type ChannelKeyId = `${string}/${string}`;

/** A key of a channel, by the identifiers of both. */
export function channelKeyId(channel: string, key: string): ChannelKeyId {
  return `${channel}/${key}`;
}

/** Returns whether a text that was stored names a key of a channel. */
export function isChannelKeyId(text: string): text is ChannelKeyId {
  return text.includes("/");
}
