import type { Candidate, ChannelKeyId } from "@modelgate/catalog";
import type { Conversation, WireRoute } from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { Exchange } from "./answers/exchange.ts";
import type { Call, ServingModel } from "./call.ts";
import type { CallCost } from "./money/measure.ts";
import type { Priced } from "./money/usage-draft.ts";
import type { StreamWaiting } from "./waiting.ts";

/**
 * A kind of call: text, embeddings, images, speech, videos and so on. It plans a call's cost and wires, and converts between
 * the client and a vendor. One object serves all calls of its endpoints.
 */
export interface CallKind<Request, Planned extends Plan = Plan> {
  /** Plans a call for one model: the one that the client names, or a fallback. Throws Failure. */
  plan(call: Call, request: Request, serving: ServingModel): Planned | Promise<Planned>;
  /**
   * Builds the exchange of one attempt. Throws Failure (400) for errors of the client's request, and for fields that
   * the route's wire cannot express. `history` is "unsealed" after a vendor has refused the thinking signatures in the
   * conversation; they are then left out.
   */
  exchange(plan: Planned, route: WireRoute, history: "unsealed" | undefined): Exchange | Promise<Exchange>;
  /**
   * Counts the fields of a request that a wire cannot express; Infinity if the wire refuses the request. Called if a
   * vendor supports several wires. Absent: every wire expresses all fields.
   */
  countUnsupported?(plan: Planned, wire: UpstreamWire, upstreamModel: string): Promise<number>;
  /**
   * Plans a call again whose client set no output limit: each answer gets a limit of `tokens`, which is sent to the
   * vendor. Undefined if an output limit does not limit the call's cost. Absent: it never does.
   */
  withPaidOutput?(plan: Planned, tokens: number): Planned | undefined;
  /** False if only the model that the client names may serve a call. Absent: its fallbacks may too. */
  readonly hasFallbacks?: boolean | undefined;
  /**
   * Receives the complete answer, or a stream's last frames, immediately before the client does. The client gets its
   * last byte once the returned promise is fulfilled; it must not reject.
   */
  answered?(plan: Planned, answer: Answered): Promise<void> | undefined;
}

/** Decisions about a call for one model, made before a request is sent. */
export interface Plan extends Pick<Priced, "endUser" | "fees"> {
  /** Limits and metering of the call's cost. */
  readonly cost: CallCost;
  /** Wires that the call can be sent in, best first for this client. */
  readonly wires: readonly UpstreamWire[];
  /** Channels that may be used; absent: all that serve the model to the caller's group. */
  readonly candidates?: readonly Candidate[] | undefined;
  /** Headers and query of the client that are forwarded to a vendor of the same wire. */
  readonly forward?: Forwarded | undefined;
  /** Route of an earlier call of the conversation, as `channel/key`; tried first. */
  readonly prefer?: ChannelKeyId | undefined;
  /**
   * Conversation that the call belongs to; it is sent to the same route if possible. Absent if there is only one route,
   * because none must be remembered.
   */
  readonly conversation?: Conversation | undefined;
  /** True if an exchange can be built without the thinking signatures in its history. Absent: false. */
  readonly unsealable?: boolean | undefined;
  /** Heartbeats for a stream before it begins; absent: none are sent. */
  readonly waiting?: StreamWaiting | undefined;
  /**
   * True if the vendor's answer is read within limits after the client disconnects: an answer that is not a stream is
   * generated and charged in any case, and it reports its cost. Absent: the exchange is aborted.
   */
  readonly finishAfterDisconnect?: boolean | undefined;
  /** True if the client requests the cost in the usage that its answer reports. */
  readonly showsCost?: boolean | undefined;
  /** Aborted if the client's body fails while it is being sent to the vendor; its reason is the client's failure. */
  readonly broken?: AbortSignal | undefined;
}

/** Parts of a client's request, other than the body, that are forwarded to a vendor of the same wire. */
export interface Forwarded {
  readonly wire: UpstreamWire;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that is about to be sent to its client. */
export interface Answered {
  /** JSON, or the last frames of a stream. */
  readonly text: string;
  /** Route of the answer, as `channel/key`. */
  readonly channelKey: ChannelKeyId;
  readonly wire: UpstreamWire;
  /**
   * True if the answer was ended before its vendor ended it: the vendor's stored copy then differs from the client's.
   */
  readonly isCut: boolean;
}
