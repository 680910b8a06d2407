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
  readonly account: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** Choice among channels of the same priority; by weight if absent. */
  readonly choice?: ChannelChoice | undefined;
  /** Wires that the call can be sent in, best first. */
  readonly wires: readonly Wire[];
  /** Counts the fields of the request that a wire cannot express; Infinity if it cannot express the request at all. */
  readonly countUnsupported?: ((wire: Wire, upstreamModel: string) => Promise<number>) | undefined;
  /** Prepares one attempt. `history` is set after a vendor has refused thinking signatures. */
  prepare(
    route: WireRoute<Wire>,
    history: "withoutSignatures" | undefined,
  ): PreparedAttempt<Accepted> | Promise<PreparedAttempt<Accepted>>;
  /** True if an attempt can be prepared without thinking signatures. */
  readonly canDropSignatures?: boolean | undefined;
  /** Route that is tried first if it is usable. */
  readonly prefer?: ChannelKeyId | undefined;
  readonly signal: AbortSignal;
  /** Span of the call. */
  readonly span?: Span | undefined;
}

/** A route and the wire of a request on it. */
export interface WireRoute<Wire extends UpstreamWire = UpstreamWire> extends Route {
  readonly provider: Provider;
  readonly wire: Wire;
}

/** Limits of a WebSocket to a vendor. */
export interface ConnectOptions {
  /** Maximum bytes of a message from the vendor. A larger message closes the connection. */
  readonly maxMessageBytes: number;
}

/** An attempt that is ready to be sent: as a WebSocket handshake if `connect` is set, otherwise as an HTTP request. */
export type PreparedAttempt<Accepted> = {
  readonly request: VendorRequest;
  readonly state?: SendState | undefined;
  /** True if the answer is a stream, which must begin within the channel's first-byte timeout. */
  readonly stream?: boolean | undefined;
  /** True if the request starts billed work, such as a video. It is not repeated if the vendor may have received it. */
  readonly isUnrepeatable?: boolean | undefined;
} & (
  | {
      readonly connect?: undefined;
      /** Reads the start of a 2xx answer. If it throws Failure or VendorRefusal, the attempt has failed. */
      accept(answer: UpstreamAnswer): Promise<Accepted>;
    }
  | { readonly connect: ConnectOptions; accept(answer: SocketAnswer): Promise<Accepted> }
);

/** An attempt whose answer the client can receive. Dispose it when the exchange has ended. */
export interface OpenAttempt<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly route: WireRoute;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** All attempts of the call, in order. The last one gave the answer. */
  readonly tried: readonly AttemptReport[];
  /** Reports that the vendor interrupted its answer. */
  reportInterruption(reason: string): void;
}

/** One attempt, as reported in logs, events and headers. */
export interface AttemptReport {
  readonly channel: string;
  /** Name of the key, never its value. */
  readonly key: string;
  /** Code of the failure; absent after a success. */
  readonly failed?: string | undefined;
  readonly status?: number | undefined;
  readonly vendorCode?: string | undefined;
  /** Error message of the vendor, or of the connection. */
  readonly vendorMessage?: string | undefined;
  /** The vendor's id of the exchange. */
  readonly upstreamRequestId?: string | undefined;
  /** Paths of the channel's headers and body members that were added to the request. */
  readonly added?: readonly string[] | undefined;
  /** Time until the answer was accepted, or until the attempt failed. */
  readonly ms: number;
}

/** Error of a call whose attempts all failed. `failure` and `route` are those of the last attempt. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly route: Route | undefined;
  readonly tried: readonly AttemptReport[];
  /** True if the call must not be tried on another route. */
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

/** A request to a vendor. */
export interface UpstreamRequest extends VendorRequest {
  /** Maximum wait for the answer's head, and maximum silence in its body. */
  readonly timeoutMs: number;
  /** Object in which the progress of the request is recorded. */
  readonly state?: SendState | undefined;
  /** Paths of the channel's headers and body members that were added to the request. */
  readonly added?: readonly string[] | undefined;
  /** URL of the channel's proxy, if it has one. */
  readonly proxy: string | undefined;
}

/** Progress of a request. */
export interface SendState {
  /** True once undici starts to send the request: the vendor may then receive it. */
  isSent: boolean;
}

/** Receiver of a vendor's body. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Answer of a vendor that accepted a WebSocket. The connection is paused. */
export interface SocketAnswer extends UpstreamAnswer {
  readonly socket: WebSocket;
}

/** A vendor's answer of which only the head was read. `pipe` reads its body. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  pipe(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /** Ends the exchange and closes the vendor's connection. */
  abort(): void;
}
