/** A file whose length is to be found. */
export interface LengthJob {
  /** File descriptor, which the reader must not close. */
  readonly descriptor: number;
  /** Size in bytes. */
  readonly size: number;
  /** The file's name, for formats that their first bytes do not identify. */
  readonly path?: string;
}

/** Length of a file as found by an audio reader. */
export interface LengthFound {
  /** Duration in seconds. */
  readonly duration?: number | undefined;
  /** Bit rate in bits per second. */
  readonly bitrate?: number | undefined;
  /** Maximum bits per second of the audio: that of its samples without compression. */
  readonly maxBitrate?: number | undefined;
}
