/** A vendor's stream, made anew in the framing that its wire has elsewhere. */
export interface Reframing {
  /** The media type that the vendor's stream has. */
  readonly from: string;
  /** The one that it gets. */
  readonly to: string;
  /** Opens one stream. */
  open(): Reframer;
}

export interface Reframer {
  /** The frames that are whole now, in the other framing. Throws RangeError for a stream that is damaged. */
  push(chunk: Buffer): Buffer;
}
