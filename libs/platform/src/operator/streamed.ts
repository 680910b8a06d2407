/** An answer that is written piece by piece, as fast as its reader takes it. */
export class Streamed {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string | Uint8Array>;
  constructor(contentType: string, pieces: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.pieces = pieces;
  }
}
