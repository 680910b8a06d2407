import type { VendorRequest } from "@modelgate/providers";
import type { WebSocket } from "ws";

/** What is sent to a vendor. A body that is a stream goes at the vendor's pace, and is destroyed with the exchange. */
export interface UpstreamRequest extends VendorRequest {
  /** Longest wait for the head, and longest silence in the body. */
  readonly timeoutMs: number;
  /** Called when the request goes out on an open connection: from then on the vendor may work on it. */
  readonly sent?: (() => void) | undefined;
}

/** Who takes a vendor's body: chunks as they come, then its end or its break. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  broken(error: Error): void;
}

/** The answer to an opened WebSocket (101): the connection, paused. It has no body. */
export interface SocketAnswer extends UpstreamAnswer {
  readonly socket: WebSocket;
}

/** A vendor's answer at its head; the body waits until `pipe` names who takes it. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  pipe(sink: BodySink): void;
  /** Backpressure: the vendor is not read on until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the exchange now; the vendor sees its connection close. */
  abort(): void;
}
