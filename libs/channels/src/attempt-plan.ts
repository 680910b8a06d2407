import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { ChannelChoice, Failure, UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import type { Provider, VendorRequest } from "@modelgate/providers";
import type { Route } from "./rest-scope.ts";
import type { WebSocket } from "ws";

/** A call, as its attempts need it. */
export interface AttemptPlan<Accepted, Wire extends UpstreamWire = UpstreamWire> {
  readonly callId: string;
  readonly requestId: string;
  /** Account of the call: what only one account's calls bring about is that account's trouble. */
  readonly account: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** Choice among those of the same priority; absent: by weight. */
  readonly choice?: ChannelChoice | undefined;
  /** The wires that the call can be made in, best first for the client. Candidates that support none are skipped. */
  readonly wires: readonly Wire[];
  /**
   * Counts the fields that a request loses in a wire, Infinity where the wire refuses it. Called where a vendor speaks several wires.
   * Absent: nothing in any.
   */
  readonly countUnsupported?: ((wire: Wire, upstreamModel: string) => Promise<number>) | undefined;
  /**
   * Prepares one attempt, always from the untouched client body. `history` is "unsealed" once a vendor has refused seals
   * of thoughts in it. What it throws is not the vendor's failure.
   */
  prepare(
    route: WireRoute<Wire>,
    history: "unsealed" | undefined,
  ): PreparedAttempt<Accepted> | Promise<PreparedAttempt<Accepted>>;
  /** True if an attempt can be prepared without the seals of thoughts in the call's history. Absent: it cannot. */
  readonly unsealable?: boolean | undefined;
  /** A route that is tried first while it can be: `channel/key`. */
  readonly prefer?: ChannelKeyId | undefined;
  readonly signal: AbortSignal;
  /** The call's span; attempts are its children, and are propagated to their vendors. */
  readonly span?: Span | undefined;
}

/** A route with the wire of its request. */
export interface WireRoute<Wire extends UpstreamWire = UpstreamWire> extends Route {
  readonly provider: Provider;
  readonly wire: Wire;
}

/** Bounds of a vendor's WebSocket. */
export interface ConnectOptions {
  /** Largest message that the vendor may send; a larger one ends the connection with 1009. */
  readonly maxMessageBytes: number;
}

/** One attempt, ready to be sent: by HTTP, or as the opening of a WebSocket. */
export type PreparedAttempt<Accepted> = {
  readonly request: Omit<UpstreamRequest, "state" | "timeoutMs">;
  readonly state?: SendState | undefined;
  /** The request is for a stream: its first byte has a timeout apart from that of silence within it. */
  readonly stream?: boolean | undefined;
  /**
   * The request begins something that is paid for once: the call goes on to another route only while the vendor cannot have
   * taken it. Else it ends with Failure create_uncertain.
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
 * An answer that can be given to the client. Dispose it when the exchange is over (once more does nothing): the
 * channel's seat is free then, and the channel has worked, unless the answer broke or its client left.
 */
export interface Attempted<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly route: WireRoute;
  /** Number of attempts that it took. */
  readonly attempts: number;
  /** Every attempt in its order; the last one is the answer's. */
  readonly tried: readonly Tried[];
  /** The vendor broke its answer off after it had begun: that counts against the channel like any failure. */
  broke(reason: string): void;
}

/** One attempt, as reported in logs, events and headers. */
export interface Tried {
  readonly channel: string;
  /** The key's name, never the key. */
  readonly key: string;
  /** The failure's code; absent where it was answered. */
  readonly failed?: string | undefined;
  /** Status of the vendor's answer; absent where it did not. */
  readonly status?: number | undefined;
  /** The vendor's own code of its refusal. */
  readonly vendorCode?: string | undefined;
  /** Message of the vendor's refusal, or of the connection's error. */
  readonly vendorMessage?: string | undefined;
  /** The vendor's own id of the exchange. */
  readonly upstreamRequestId?: string | undefined;
  /** From the attempt's beginning to the beginning of its answer, or to its failure. */
  readonly ms: number;
}

/** A failure after all attempts, with how many there were and where the last one went. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly route: Route | undefined;
  readonly tried: readonly Tried[];
  /** True if the call would fail like this anywhere, or may not be sent again. */
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

/** A request to a vendor. A body that is a stream goes at the vendor's pace, and is destroyed with the exchange. */
export interface UpstreamRequest extends VendorRequest {
  /** Longest wait for the head, and longest silence in the body. */
  readonly timeoutMs: number;
  /** Absent: nobody wants to know. */
  readonly state?: SendState | undefined;
}

/** Progress of a request. */
export interface SendState {
  /** Set when the request goes out on an open connection: from then on the vendor may work on it. */
  isSent: boolean;
}

/** Receiver of a vendor's body: chunks as they come, then its end or its break. */
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
