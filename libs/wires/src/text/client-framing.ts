/** How the pieces of a client's stream are framed: as server-sent events, or as the elements of one JSON array. */
export interface ClientFraming {
  readonly contentType: string;
  /** Frames a piece of JSON. */
  piece(json: string): string;
  /** Frames the data of a vendor's server-sent event; "" for one without data. */
  reframe(frame: Buffer): string;
  /** Ends the stream. */
  end(): string;
  /** Keeps a silent stream alive. */
  heartbeat(): string;
}
