import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { Conversation, WireRoute } from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { Exchange } from "./answers/exchange.ts";
import type { Call, ServingModel } from "./call.ts";
import type { CallCost } from "./money/measure.ts";
import type { CallPricing } from "./money/usage-draft.ts";
import type { PendingStream } from "./pending-stream.ts";

/**
 * A kind of call, such as text, embeddings, images, speech or videos. It plans calls, and converts between client and
 * vendor.
 */
export interface CallKind<Request, Planned extends Plan = Plan> {
  /** Plans a call for the client's model or a fallback. Throws Failure. */
  plan(call: Call, request: Request, serving: ServingModel): Planned | Promise<Planned>;
  /**
   * Builds the exchange of one attempt. Throws Failure (400) for errors in the client's request. `history` is
   * "withoutSignatures" after a vendor has refused the conversation's thinking signatures.
   */
  exchange(plan: Planned, route: WireRoute, history: "withoutSignatures" | undefined): Exchange | Promise<Exchange>;
  /**
   * Counts the fields of a request that a wire cannot express; Infinity if it cannot express the request at all. Absent
   * if every wire can express all fields.
   */
  countUnsupported?(plan: Planned, wire: UpstreamWire, upstreamModel: string): Promise<number>;
  /**
   * Plans a call again with an output limit of `tokens` per answer, because the client's money does not cover the
   * default limit. Undefined or absent if an output limit does not reduce the cost.
   */
  withAffordableOutput?(plan: Planned, tokens: number): Planned | undefined;
  /** False if only the client's model may serve a call; default true. */
  readonly hasFallbacks?: boolean | undefined;
  /**
   * Receives a complete answer, or the last frames of a stream, before the client. The client's last byte waits for the
   * promise, which must not reject.
   */
  onFinalAnswer?(plan: Planned, answer: FinalAnswer): Promise<void> | undefined;
}

/** Decisions about a call for one model, made before the request is sent. */
export interface Plan extends Pick<CallPricing, "endUser" | "fees"> {
  /** Limits of the call's cost, and its metering. */
  readonly cost: CallCost;
  /** Wires in which the call can be sent, best first for the client. */
  readonly wires: readonly UpstreamWire[];
  /** Channels that may be used; absent: all that serve the model to the caller's group. */
  readonly candidates?: readonly Candidate[] | undefined;
  /** Headers and query parameters for a vendor of the same wire. */
  readonly forward?: Forwarded | undefined;
  /** Route (`channel/key`) of an earlier call of the conversation. It is tried first. */
  readonly prefer?: ChannelKeyId | undefined;
  /** Calls of a conversation are sent to the same route if possible. Absent if the model has only one route. */
  readonly conversation?: Conversation | undefined;
  /** True if an exchange can be built without the thinking signatures of the history. */
  readonly canDropSignatures?: boolean | undefined;
  /** Heartbeats and errors for a client that waits for a stream. */
  readonly pendingStream?: PendingStream | undefined;
  /**
   * True if the vendor's answer is still read, within limits, after the client disconnected, because it reports the
   * usage. Otherwise the exchange is aborted.
   */
  readonly finishAfterDisconnect?: boolean | undefined;
  /** True if the client requested the cost in the usage. */
  readonly showsCost?: boolean | undefined;
  /** Aborted if the client's body fails while it is being sent. The reason is the Failure. */
  readonly bodyFailed?: AbortSignal | undefined;
}

/** Parts of a client's request for a vendor of the same wire. */
export interface Forwarded {
  readonly wire: UpstreamWire;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that is about to be sent to its client. */
export interface FinalAnswer {
  readonly text: string;
  readonly channelKey: ChannelKeyId;
  readonly wire: UpstreamWire;
  /** True if the gateway ended the answer. The copy that the vendor stores differs from the client's. */
  readonly isEndedEarly: boolean;
}
