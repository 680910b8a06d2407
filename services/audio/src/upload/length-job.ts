/** File whose length a reader thread must find. */
export interface LengthJob {
  /** File descriptor, which the reader must not close. */
  readonly descriptor: number;
  /** Size in bytes. */
  readonly size: number;
  /** Name of the file, for formats that cannot be identified by their first bytes. */
  readonly path?: string;
}

/** Length data that a reader thread found. */
export interface LengthFound {
  /** Duration in seconds. */
  readonly duration?: number | undefined;
  /** Bit rate in bits per second. */
  readonly bitrate?: number | undefined;
  /** Bit rate of uncompressed samples. */
  readonly maxBitrate?: number | undefined;
}
