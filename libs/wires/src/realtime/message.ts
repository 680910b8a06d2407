/** A message of a session, as it stands on the wire. */
export interface RealtimeMessage {
  readonly data: Buffer;
  /** Binary or text; the events of every known vendor are text. */
  readonly binary: boolean;
}

/** An event as a text message. */
export function eventMessage(event: object): RealtimeMessage {
  return { data: Buffer.from(JSON.stringify(event)), binary: false };
}
