import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { Conversation, WireRoute } from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { Exchange } from "./answers/exchange.ts";
import type { Call, ServingModel } from "./call.ts";
import type { CallCost } from "./money/measure.ts";
import type { CallPricing } from "./money/usage-draft.ts";
import type { PendingStream } from "./pending-stream.ts";

/**
 * A kind of call, such as text, embeddings, images, speech or videos. It plans the cost and the wires (API formats) of
 * a call, and converts between client and vendor. One object serves all calls of its endpoints.
 */
export interface CallKind<Request, Planned extends Plan = Plan> {
  /** Plans a call for one model, which the client named or which is a fallback. Throws Failure. */
  plan(call: Call, request: Request, serving: ServingModel): Planned | Promise<Planned>;
  /**
   * Builds the exchange of one attempt. Throws Failure (400) for errors in the client's request, and for fields that
   * the route's wire cannot express. `history` is "withoutSignatures" after a vendor has refused thinking signatures in
   * the conversation; the exchange then leaves them out.
   */
  exchange(plan: Planned, route: WireRoute, history: "withoutSignatures" | undefined): Exchange | Promise<Exchange>;
  /**
   * Counts the fields of a request that a wire cannot express; Infinity if the wire refuses the request. Called only if
   * a vendor supports several of the wires. Absent: every wire can express all fields.
   */
  countUnsupported?(plan: Planned, wire: UpstreamWire, upstreamModel: string): Promise<number>;
  /**
   * Plans a call again with an output limit of `tokens` per answer, which is sent to the vendor. Called if the client
   * set no output limit and its money does not cover the default limit. Returns undefined if an output limit does not
   * reduce the call's cost. Absent: an output limit never reduces the cost.
   */
  withAffordableOutput?(plan: Planned, tokens: number): Planned | undefined;
  /** False if only the model that the client names may serve a call. Absent: fallbacks may serve it too. */
  readonly hasFallbacks?: boolean | undefined;
  /**
   * Receives a complete answer, or the last frames of a stream, immediately before the client. The client receives its
   * last byte when the returned promise is fulfilled. The promise must not reject.
   */
  onFinalAnswer?(plan: Planned, answer: FinalAnswer): Promise<void> | undefined;
}

/** Decisions about a call for one model, made before the request is sent. */
export interface Plan extends Pick<CallPricing, "endUser" | "fees"> {
  /** Limits of the call's cost, and how its usage is metered. */
  readonly cost: CallCost;
  /** Wires that the call can be sent in, best first for the client. */
  readonly wires: readonly UpstreamWire[];
  /** Channels that may be used; absent: all that serve the model to the caller's group. */
  readonly candidates?: readonly Candidate[] | undefined;
  /** Headers and query parameters of the client that are forwarded to a vendor with the same wire. */
  readonly forward?: Forwarded | undefined;
  /** Route (`channel/key`) of an earlier call of the conversation. It is tried first. */
  readonly prefer?: ChannelKeyId | undefined;
  /**
   * Conversation that the call belongs to. Calls of a conversation are sent to the same route if possible. Absent if
   * the model has only one route.
   */
  readonly conversation?: Conversation | undefined;
  /** True if an exchange can be built without the thinking signatures in the history. Absent: false. */
  readonly canDropSignatures?: boolean | undefined;
  /** Heartbeats and errors for a client that waits for a stream; absent: no heartbeats are sent. */
  readonly pendingStream?: PendingStream | undefined;
  /**
   * True if the vendor's answer is still read, within limits, after the client disconnected. Used for answers that are
   * not streams: the vendor charges them in any case, and the answer reports the usage. Absent: the exchange is
   * aborted.
   */
  readonly finishAfterDisconnect?: boolean | undefined;
  /** True if the client requested that the reported usage includes the cost. */
  readonly showsCost?: boolean | undefined;
  /**
   * Signal that is aborted if the client's body fails while it is being sent to the vendor. Its reason is the Failure.
   */
  readonly bodyFailed?: AbortSignal | undefined;
}

/** Parts of a client's request, other than the body, that are forwarded to a vendor with the same wire. */
export interface Forwarded {
  readonly wire: UpstreamWire;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that is about to be sent to its client. */
export interface FinalAnswer {
  /** The complete answer as JSON, or the last frames of a stream. */
  readonly text: string;
  /** Route (`channel/key`) that gave the answer. */
  readonly channelKey: ChannelKeyId;
  readonly wire: UpstreamWire;
  /**
   * True if the gateway ended the answer before its vendor did. The copy that the vendor stores then differs from the
   * client's.
   */
  readonly isEndedEarly: boolean;
}
