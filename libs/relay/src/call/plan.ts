import type { UpstreamWire } from "@modelgate/contracts";
import type { CatalogModel, ChannelKeyId } from "@modelgate/catalog";
import type { Conversation, WireRoute } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { Exchange } from "../answers/exchange.ts";
import type { CallFees } from "../money/fees.ts";
import type { CallCost } from "../money/measure.ts";
import type { Waiting } from "./waiting.ts";

/** The part of a service's call that its life depends on: who calls, and where the answer goes. */
export type RelayedCall = Pick<ServiceCall, "answer" | "caller" | "ending" | "endpoint" | "id" | "log" | "requestId"> &
  Partial<Pick<ServiceCall, "span">>;

/** What is sent to vendors, and over which channels. */
export interface VendorCall {
  readonly model: CatalogModel;
  /** The wires that the call can be made in, best first for this client. */
  readonly wires: readonly UpstreamWire[];
  /**
   * Counts what a request loses in a wire, Infinity where that refuses it; asked where a vendor is known to speak several.
   * Absent: nothing in any.
   */
  readonly countUnsupported?: ((wire: UpstreamWire, upstreamModel: string) => Promise<number>) | undefined;
  /** Makes one attempt's exchange. Throws Failure (400) for what the client said wrong or the route's wire cannot say. */
  exchange(route: WireRoute, history?: "unsealed"): Exchange | Promise<Exchange>;
  /** Whether an exchange can be had `unsealed`: without the seals of thoughts in its history. */
  readonly unsealable?: boolean | undefined;
  /** Headers and query of the client that go on to a vendor of the client's own wire. */
  readonly forward?: Forwarded | undefined;
  /** Where an earlier call of the conversation went, as `channel/key`: tried first. */
  readonly prefer?: ChannelKeyId | undefined;
  /**
   * The conversation that the call is a turn of: it goes where that went, while it can. Absent where there is one way only:
   * nothing is to be remembered then.
   */
  readonly conversation?: Conversation | undefined;
}

/** The model that is to serve a call, and what it costs this caller. */
export interface ServingModel {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
  /** The model that the client named, where that is another one. */
  readonly requested?: string | undefined;
}

/** A call that has been read and checked: all that its life needs to know. */
export interface CallPlan extends VendorCall, ServingModel {
  /** The end user that the request names, for the books. */
  readonly endUser?: string | undefined;
  /** What bounds and meters the call's cost. */
  readonly cost: CallCost;
  /** What the call costs beside its tokens; absent: nothing. */
  readonly fees?: CallFees | undefined;
  /** How a stream is kept alive before it begins; absent: not at all. */
  readonly waiting?: Waiting | undefined;
  /**
   * Whether the vendor is heard out, within bounds, where the client leaves before the answer: an answer in one piece is
   * made and charged whether anybody waits for it or not, and says what it cost. Absent: its work is ended.
   */
  readonly hearsOut?: boolean | undefined;
  /** Sees the whole answer, or a stream's last frames, just before the client has them. */
  readonly answered?: ((answer: Answered) => void) | undefined;
  /** Whether the client asks for the cost within the usage that its answer reports. */
  readonly showsCost?: boolean | undefined;
  /** Aborted where the client's body fails while it is being sent on; its reason is the client's failure. */
  readonly broken?: AbortSignal | undefined;
}

/** A call's plan, but for the model: one is made for each that may serve it. */
export type PlannedCall = Omit<CallPlan, keyof ServingModel>;

/** What of a client's request goes on to a vendor of the same wire, beside the body. */
export interface Forwarded {
  readonly wire: UpstreamWire;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that is about to reach its client. */
export interface Answered {
  /** JSON, or the last frames of a stream. */
  readonly text: string;
  /** Where it came from, as `channel/key`. */
  readonly channelKey: ChannelKeyId;
  readonly wire: UpstreamWire;
  /** Whether it was ended before its vendor ended it: the vendor does not know it as the client does. */
  readonly isCut: boolean;
}
