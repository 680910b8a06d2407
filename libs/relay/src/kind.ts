import type { ChannelKeyId } from "@modelgate/catalog";
import type { Conversation, WireRoute } from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { Exchange } from "./answers/exchange.ts";
import type { Call, ServingModel } from "./call.ts";
import type { CallFees } from "./money/fees.ts";
import type { CallCost } from "./money/measure.ts";
import type { StreamWaiting } from "./waiting.ts";

/**
 * A kind of call: text, vectors, images, speech and so on. It decides what a call may cost and which wires can serve it,
 * and converts between the client and one vendor. One object serves all calls of its endpoints.
 */
export interface CallKind<Request, Planned extends Plan = Plan> {
  /** Plans a call for one model: the one that its client names, or a fallback. Throws Failure. */
  plan(call: Call, request: Request, serving: ServingModel): Planned | Promise<Planned>;
  /**
   * Makes the exchange of one attempt. Throws Failure (400) for errors of the client's request, and for fields that the
   * route's wire cannot express.
   * `history` is "unsealed" once a vendor has refused the seals of thoughts in it.
   */
  exchange(plan: Planned, route: WireRoute, history: "unsealed" | undefined): Exchange | Promise<Exchange>;
  /**
   * Counts what a request loses in a wire, Infinity where that refuses it; called where a vendor is known to speak
   * several. Absent: nothing in any.
   */
  countUnsupported?(plan: Planned, wire: UpstreamWire, upstreamModel: string): Promise<number>;
  /**
   * Plans a call whose client named no bound of its output once more: each answer has at most so many tokens, and the vendor
   * is sent that bound. Undefined where a bound of output does not bound the call's cost. Absent: it never does.
   */
  withPaidOutput?(plan: Planned, tokens: number): Planned | undefined;
  /** Sees the whole answer, or a stream's last frames, just before the client has them. */
  answered?(plan: Planned, answer: Answered): void;
}

/** Decisions about a call for one model, before anything is sent. */
export interface Plan {
  /** Bound and meter of the call's cost. */
  readonly cost: CallCost;
  /** Fees of the call beside its tokens; absent: nothing. */
  readonly fees?: CallFees | undefined;
  /** The end user that the request names, for the books. */
  readonly endUser?: string | undefined;
  /** The wires that the call can be made in, best first for this client. */
  readonly wires: readonly UpstreamWire[];
  /** Headers and query of the client that go on to a vendor of the client's own wire. */
  readonly forward?: Forwarded | undefined;
  /** The route of an earlier call of the conversation, as `channel/key`: tried first. */
  readonly prefer?: ChannelKeyId | undefined;
  /**
   * The conversation that the call is a turn of: it is sent where that was sent, while it can be. Absent where there is
   * one way only: nothing is remembered then.
   */
  readonly conversation?: Conversation | undefined;
  /** True if an exchange can be had without the seals of thoughts in its history. Absent: it cannot. */
  readonly unsealable?: boolean | undefined;
  /** Signs of life for a stream before it begins; absent: not at all. */
  readonly waiting?: StreamWaiting | undefined;
  /**
   * True if the vendor is read on, within bounds, where the client leaves before the answer: an answer in one piece is
   * made and charged whether anybody waits for it or not, and says what it cost. Absent: its work is ended.
   */
  readonly finishAfterDisconnect?: boolean | undefined;
  /** True if the client wants the cost within the usage that its answer reports. */
  readonly showsCost?: boolean | undefined;
  /** Aborted where the client's body fails while it is being sent on; its reason is the client's failure. */
  readonly broken?: AbortSignal | undefined;
}

/** Parts of a client's request that go on to a vendor of the same wire, beside the body. */
export interface Forwarded {
  readonly wire: UpstreamWire;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that is about to reach its client. */
export interface Answered {
  /** JSON, or the last frames of a stream. */
  readonly text: string;
  /** The route that it came by, as `channel/key`. */
  readonly channelKey: ChannelKeyId;
  readonly wire: UpstreamWire;
  /** True if it was ended before its vendor ended it: the vendor does not know it as the client does. */
  readonly isCut: boolean;
}
