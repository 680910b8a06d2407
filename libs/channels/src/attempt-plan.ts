import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { ChannelChoice, Failure, UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import type { Provider, VendorRequest } from "@modelgate/providers";
import type { Route } from "./rest-scope.ts";
import type { WebSocket } from "ws";

/** Data of a call that its attempts need. */
export interface AttemptPlan<Accepted, Wire extends UpstreamWire = UpstreamWire> {
  readonly callId: string;
  readonly requestId: string;
  /** Account of the call: failures that only one account sees do not affect others. */
  readonly account: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** Choice among channels of the same priority; absent: by weight. */
  readonly choice?: ChannelChoice | undefined;
  /** Wires that the call can be sent in, best first for the client. Candidates that support none are skipped. */
  readonly wires: readonly Wire[];
  /**
   * Counts the fields of a request that a wire cannot express; Infinity if the wire refuses the request. Called if a
   * vendor supports several wires. Absent: every wire expresses all fields.
   */
  readonly countUnsupported?: ((wire: Wire, upstreamModel: string) => Promise<number>) | undefined;
  /**
   * Prepares one attempt, always from the unchanged client body. `history` is "unsealed" after a vendor has refused
   * thinking signatures in the conversation. An exception does not count against the vendor.
   */
  prepare(
    route: WireRoute<Wire>,
    history: "unsealed" | undefined,
  ): PreparedAttempt<Accepted> | Promise<PreparedAttempt<Accepted>>;
  /** True if an attempt can be prepared without the thinking signatures in the call's history. Absent: false. */
  readonly unsealable?: boolean | undefined;
  /** Route that is tried first if it is usable: `channel/key`. */
  readonly prefer?: ChannelKeyId | undefined;
  readonly signal: AbortSignal;
  /** Span of the call; attempts are its children, and are propagated to their vendors. */
  readonly span?: Span | undefined;
}

/** A route with the wire of its request. */
export interface WireRoute<Wire extends UpstreamWire = UpstreamWire> extends Route {
  readonly provider: Provider;
  readonly wire: Wire;
}

/** Limits of a vendor's WebSocket. */
export interface ConnectOptions {
  /** Maximum bytes of a message from the vendor; a larger one closes the connection with 1009. */
  readonly maxMessageBytes: number;
}

/** One attempt, ready to be sent: by HTTP, or as the opening of a WebSocket. */
export type PreparedAttempt<Accepted> = {
  readonly request: Omit<UpstreamRequest, "state" | "timeoutMs">;
  readonly state?: SendState | undefined;
  /** True for a stream: the timeout of its first byte differs from that of silence within it. */
  readonly stream?: boolean | undefined;
  /**
   * True if the request starts something that is billed once: another route is tried only if the vendor cannot have
   * received the request. Otherwise the call ends with Failure create_uncertain.
   */
  readonly unrepeatable?: boolean | undefined;
} & (
  | {
      readonly connect?: undefined;
      /** Checks the start of a 2xx answer. Throws Failure if it is unusable; the next route is tried. */
      accept(answer: UpstreamAnswer): Promise<Accepted>;
    }
  | { readonly connect: ConnectOptions; accept(answer: SocketAnswer): Promise<Accepted> }
);

/**
 * An attempt whose answer is usable for the client. Dispose it when the exchange has ended (further disposals do
 * nothing): its seat is then free, and the attempt counts as successful, unless the answer broke or its client
 * disconnected.
 */
export interface OpenAttempt<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly route: WireRoute;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Attempts, in order; the last one gave the answer. */
  readonly tried: readonly Tried[];
  /** Reports that the vendor interrupted its answer, which counts against the channel like any failure. */
  broke(reason: string): void;
}

/** One attempt, as reported in logs, events and headers. */
export interface Tried {
  readonly channel: string;
  /** Name of the key, never its value. */
  readonly key: string;
  /** Code of the failure; absent if the attempt succeeded. */
  readonly failed?: string | undefined;
  /** Status of the vendor's answer; absent if there was none. */
  readonly status?: number | undefined;
  /** The vendor's error code. */
  readonly vendorCode?: string | undefined;
  /** Error message of the vendor, or of the connection. */
  readonly vendorMessage?: string | undefined;
  /** The vendor's id of the exchange. */
  readonly upstreamRequestId?: string | undefined;
  /** Time from the attempt's beginning to the first byte of its answer, or to its failure. */
  readonly ms: number;
}

/** Failure of all attempts, with their number and the route of the last one. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly route: Route | undefined;
  readonly tried: readonly Tried[];
  /** True if every other route would fail in the same way, or if the request must not be sent again. */
  readonly isFinal: boolean;
  constructor(failure: Failure, tried: readonly Tried[], route: Route | undefined, isFinal = false) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.attempts = tried.length;
    this.tried = tried;
    this.route = route;
    this.isFinal = isFinal;
  }
}

/** A request to a vendor. A body that is a stream is sent at the vendor's pace, and is destroyed with the exchange. */
export interface UpstreamRequest extends VendorRequest {
  /** Maximum wait for the head, and maximum silence in the body. */
  readonly timeoutMs: number;
  /** Receives the progress of the request; absent: it is not recorded. */
  readonly state?: SendState | undefined;
}

/** Progress of a request. */
export interface SendState {
  /** Set when the request is sent on an open connection: from then on the vendor may process it. */
  isSent: boolean;
}

/** Receiver of a vendor's body: its chunks, then its end or its error. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  broken(error: Error): void;
}

/** Answer to an opened WebSocket (101): the connection, paused. It has no body. */
export interface SocketAnswer extends UpstreamAnswer {
  readonly socket: WebSocket;
}

/** A vendor's answer after its head; the body waits for the receiver that `pipe` names. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  pipe(sink: BodySink): void;
  /** Applies backpressure: reading from the vendor stops until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the exchange immediately by closing the vendor's connection. */
  abort(): void;
}
