import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { ChannelChoice, Failure, UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import type { Provider, VendorRequest } from "@modelgate/providers";
import type { Route } from "./channel-scope.ts";
import type { WebSocket } from "ws";

/** Data of a call that its attempts need. */
export interface AttemptPlan<Accepted, Wire extends UpstreamWire = UpstreamWire> {
  readonly callId: string;
  readonly requestId: string;
  /** Account that makes the call. Failures that only one account sees do not affect other accounts. */
  readonly account: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** Choice among channels of the same priority; absent: by weight. */
  readonly choice?: ChannelChoice | undefined;
  /**
   * Wires (API formats) that the call can be sent in, best first for the client. Candidates that support none of them
   * are skipped.
   */
  readonly wires: readonly Wire[];
  /**
   * Counts the fields of the request that a wire cannot express; Infinity if the wire refuses the request. Called only
   * if a vendor supports several of the wires. Absent: every wire can express all fields.
   */
  readonly countUnsupported?: ((wire: Wire, upstreamModel: string) => Promise<number>) | undefined;
  /**
   * Prepares one attempt from the client's body, which is the same for all attempts. `history` is "withoutSignatures"
   * after a vendor has refused thinking signatures in the conversation. An exception does not count against the vendor.
   */
  prepare(
    route: WireRoute<Wire>,
    history: "withoutSignatures" | undefined,
  ): PreparedAttempt<Accepted> | Promise<PreparedAttempt<Accepted>>;
  /** True if an attempt can be prepared without the thinking signatures in the call's history. Absent: false. */
  readonly canDropSignatures?: boolean | undefined;
  /** Route (`channel/key`) that is tried first if it is usable. */
  readonly prefer?: ChannelKeyId | undefined;
  readonly signal: AbortSignal;
  /** Span of the call. Each attempt has a child span, which is propagated to the vendor. */
  readonly span?: Span | undefined;
}

/** A route and the wire (API format) that a request uses on it. */
export interface WireRoute<Wire extends UpstreamWire = UpstreamWire> extends Route {
  readonly provider: Provider;
  readonly wire: Wire;
}

/** Limits of a WebSocket to a vendor. */
export interface ConnectOptions {
  /** Maximum bytes of a message from the vendor; a larger one closes the connection with 1009. */
  readonly maxMessageBytes: number;
}

/** One attempt that is ready to be sent as an HTTP request, or as the handshake of a WebSocket if `connect` is set. */
export type PreparedAttempt<Accepted> = {
  readonly request: VendorRequest;
  readonly state?: SendState | undefined;
  /** True if the answer is a stream: the channel's timeout for the first byte then applies too. */
  readonly stream?: boolean | undefined;
  /**
   * True if the request starts work that is billed, such as a video. Another route is then tried only if the vendor
   * cannot have received the request; otherwise the call ends with Failure create_uncertain.
   */
  readonly unrepeatable?: boolean | undefined;
} & (
  | {
      readonly connect?: undefined;
      /**
       * Reads the start of a 2xx answer and returns what the caller needs. Throws Failure or VendorRefusal if the
       * answer is unusable; the next route is then tried.
       */
      accept(answer: UpstreamAnswer): Promise<Accepted>;
    }
  | { readonly connect: ConnectOptions; accept(answer: SocketAnswer): Promise<Accepted> }
);

/**
 * An attempt whose answer the client can receive. Dispose it when the exchange has ended; further disposals do nothing.
 * Disposal frees its concurrency seat and counts the attempt as successful, unless the vendor interrupted the answer or
 * the client disconnected.
 */
export interface OpenAttempt<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly route: WireRoute;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** All attempts of the call, in order. The last one gave the answer. */
  readonly tried: readonly AttemptReport[];
  /** Reports that the vendor interrupted its answer, which counts against the channel like any failure. */
  reportInterruption(reason: string): void;
}

/** One attempt, as reported in logs, events and headers. */
export interface AttemptReport {
  readonly channel: string;
  /** Name of the key, never its value. */
  readonly key: string;
  /** Code of the failure; absent if the attempt succeeded. */
  readonly failed?: string | undefined;
  /** Status of the vendor's answer; absent if there was none. */
  readonly status?: number | undefined;
  /** The vendor's error code; absent if it gave none. */
  readonly vendorCode?: string | undefined;
  /** Error message of the vendor, or of the connection. */
  readonly vendorMessage?: string | undefined;
  /** The vendor's id of the exchange, for its support. */
  readonly upstreamRequestId?: string | undefined;
  /** Names of the channel's headers and body members in the request; absent: it has none, or it was not sent. */
  readonly added?: readonly string[] | undefined;
  /** Time from the start of the attempt until its answer was accepted, or until it failed. */
  readonly ms: number;
}

/**
 * Error of a call whose attempts all failed. `failure` is that of the last attempt, `route` the route of that attempt.
 */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly route: Route | undefined;
  readonly tried: readonly AttemptReport[];
  /** True if every other route would fail in the same way, or if the request must not be sent again. */
  readonly isFinal: boolean;
  constructor(failure: Failure, tried: readonly AttemptReport[], route: Route | undefined, isFinal = false) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.attempts = tried.length;
    this.tried = tried;
    this.route = route;
    this.isFinal = isFinal;
  }
}

/**
 * A request to a vendor. A body that is a stream is read as fast as the vendor receives it, and is destroyed when the
 * exchange ends.
 */
export interface UpstreamRequest extends VendorRequest {
  /** Maximum wait for the answer's head, and maximum silence in its body. */
  readonly timeoutMs: number;
  /** Object in which the progress of the request is recorded. */
  readonly state?: SendState | undefined;
  /** Names of the channel's headers and body members in the request, by their path in the configuration. */
  readonly added?: readonly string[] | undefined;
  /** URL of the channel's proxy; undefined: the request is sent directly. */
  readonly proxy: string | undefined;
}

/** Progress of a request. */
export interface SendState {
  /** True once the request is sent on an open connection: the vendor may then process it. */
  isSent: boolean;
}

/** Receiver of a vendor's body: its chunks, then its end or its error. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Answer of a vendor that accepted a WebSocket (status 101), with the paused connection. It has no body. */
export interface SocketAnswer extends UpstreamAnswer {
  readonly socket: WebSocket;
}

/** A vendor's answer of which only the head was read. Its body is read once `pipe` names a receiver. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  pipe(sink: BodySink): void;
  /** Stops reading from the vendor until `resume` is called. */
  pause(): void;
  resume(): void;
  /** Ends the exchange immediately by closing the vendor's connection. */
  abort(): void;
}
