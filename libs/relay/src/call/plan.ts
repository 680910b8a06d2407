import type { UpstreamWire } from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";
import type { Conversation, Way } from "@modelgate/channels";
import type { Exchange } from "../answers/exchange.ts";
import type { CallFees } from "../money/fees.ts";
import type { RequestSize } from "../money/expect.ts";
import type { Measure } from "../money/measure.ts";
import type { Waiting } from "./waiting.ts";

/** A call that has been read and checked: all that its life needs to know. */
export interface CallPlan {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
  /** The end user that the request names, for the books. */
  readonly endUser?: string | undefined;
  /** The client's body, untouched; every attempt is made from it. */
  readonly body: Buffer;
  readonly stream: boolean;
  readonly size: RequestSize;
  /** How the call is bounded and metered where its cost does not hang on text; absent: by `body` and `size`. */
  readonly measure?: Measure | undefined;
  /** What the call costs beside its tokens; absent: nothing. */
  readonly fees?: CallFees | undefined;
  /** The wires that a vendor may be spoken to in, best first for this client. */
  readonly wires: readonly UpstreamWire[];
  /** What to say to a vendor in one of them. Throws Failure (400) for what the client said wrong or that wire cannot say. */
  exchange(wire: UpstreamWire, way: Way, history?: "unsealed"): Exchange | Promise<Exchange>;
  /** Whether an exchange can be had `unsealed`: without the seals of thoughts in its history. */
  readonly unsealable?: boolean;
  /** Whether output may be billed that a stream does not show: it is held for whole before it begins. */
  readonly billsUnseen?: boolean | undefined;
  /** How a stream is kept alive before it begins; absent: not at all. */
  readonly waiting?: Waiting | undefined;
  /**
   * Whether the vendor is heard out, within bounds, where the client leaves before the answer: an answer in one piece is
   * made and charged whether anybody waits for it or not, and says what it cost. Absent: its work is ended.
   */
  readonly hearsOut?: boolean | undefined;
  /** Headers and query of the client that go on to a vendor of the client's own wire. */
  readonly forward?: Forwarded | undefined;
  /** Where an earlier call of the conversation went, as `channel/key`: tried first. */
  readonly prefer?: string | undefined;
  /**
   * The conversation that the call is a turn of: it goes where that went, while it can. Absent where there is one way only:
   * nothing is to be remembered then (hasChoice).
   */
  readonly conversation?: Conversation | undefined;
  /** Told of the whole answer, or of a stream's last words, just before the client has them. */
  readonly answered?: ((answer: Answered) => void) | undefined;
  /** Aborted where the client's body fails while it is being sent on; its reason is what the client is told. */
  readonly broken?: AbortSignal | undefined;
}

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
  readonly place: string;
  readonly wire: UpstreamWire;
  /** Whether it was ended before its vendor ended it: the vendor does not know it as the client does. */
  readonly isCut: boolean;
}
