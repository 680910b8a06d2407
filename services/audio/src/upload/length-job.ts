/** What a length is to be found in: an open file, or its beginning. */
export interface LengthJob {
  readonly source: { readonly descriptor: number } | { readonly head: Uint8Array };
  /** Bytes of the whole file. */
  readonly size: number;
  /** The file's own name, for kinds that are not told by their first bytes. */
  readonly path?: string;
}

/** What a reader of audio says of a file. */
export interface LengthFound {
  /** Seconds. */
  readonly duration?: number | undefined;
  /** Bits a second. */
  readonly bitrate?: number | undefined;
}
