import type { Readable } from "node:stream";
import type { WebSocket } from "ws";

/** What is sent to a vendor. */
export interface UpstreamRequest {
  readonly url: URL;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, at the vendor's pace, and is destroyed with the exchange. */
  readonly body?: Buffer | Readable | undefined;
  /** Longest wait for the head, and longest silence in the body. */
  readonly timeoutMs: number;
}

/** Who takes a vendor's body: chunks as they come, then its end or its break. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  broken(error: Error): void;
}

/** A vendor's answer at its head; the body waits until `pipe` names who takes it. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The open connection, paused, where a WebSocket was asked for (101). */
  readonly socket?: WebSocket | undefined;
  pipe(sink: BodySink): void;
  /** Backpressure: the vendor is not read on until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the exchange now; the vendor sees its connection close. */
  abort(): void;
}
