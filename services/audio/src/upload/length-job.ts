/** A file whose length is to be found. */
export interface LengthJob {
  /** It is open, and stays so. */
  readonly descriptor: number;
  /** Its bytes. */
  readonly size: number;
  /** The file's own name, for formats that are not recognised by their first bytes. */
  readonly path?: string;
}

/** Length of a file as a reader of audio finds it. */
export interface LengthFound {
  /** Seconds. */
  readonly duration?: number | undefined;
  /** Bits a second. */
  readonly bitrate?: number | undefined;
  /** Maximum bits a second that its sound can have: those of its samples, when they are not compressed. */
  readonly maxBitrate?: number | undefined;
}
