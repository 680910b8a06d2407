import type { Candidate } from "@modelgate/catalog";
import type { Failure } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import type { Provider } from "@modelgate/providers";
import type { ConnectOptions } from "./connect.ts";
import type { Way } from "./pick.ts";
import type { UpstreamAnswer, UpstreamRequest } from "./upstream.ts";

/** What a call needs of its attempts. */
export interface AttemptPlan<Accepted> {
  readonly callId: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** What to send that way; called for every attempt, always from the untouched client body. */
  readonly render: (
    way: Way,
    provider: Provider,
  ) => Omit<UpstreamRequest, "timeoutMs"> | Promise<Omit<UpstreamRequest, "timeoutMs">>;
  /** The vendor is met by WebSocket: the answer is 101 and carries the open connection. Absent: by HTTP. */
  readonly connect?: ConnectOptions | undefined;
  /** Looks at the beginning of a successful answer; throws Failure where it is none, and the next way is tried. */
  readonly accept: (answer: UpstreamAnswer, way: Way) => Promise<Accepted>;
  /** Told that the vendor has no endpoint where the call was sent; whether there is another one to try there. */
  readonly unspoken: (way: Way, provider: Provider) => boolean;
  /**
   * Told that the vendor refuses seals of thoughts in the call's history; whether the call can be said without them.
   * Absent: it cannot.
   */
  readonly unsealed?: () => boolean;
  /** A way that is tried first while it can be: `channel/key`. */
  readonly prefer?: string | undefined;
  /**
   * The call begins something that is paid for once: it goes on to another way only while the vendor cannot have taken
   * it. Else it ends with Failure create_uncertain.
   */
  readonly unrepeatable?: boolean;
  /** A stream is asked for: its first byte is waited for apart from silence within it. */
  readonly stream?: boolean;
  readonly signal: AbortSignal;
  /** The call's part of the trace; attempts stand below it, and their vendors are told. */
  readonly span?: Span | undefined;
}

/**
 * An answer that can be given to the client. Dispose it when the exchange is over (once more does nothing): the
 * channel's seat is free then, and the channel has worked, unless the answer broke or its client left.
 */
export interface Attempted<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly way: Way;
  /** How many attempts it took. */
  readonly attempts: number;
  /** Every attempt in its order; the last one is the answer's. */
  readonly tried: readonly Tried[];
  /** The vendor broke its answer off after it had begun: that counts against the channel like any failure. */
  broke(reason: string): void;
}

/** One attempt, for those who are told what was tried. */
export interface Tried {
  readonly channel: string;
  /** The failure's code; absent where it was answered. */
  readonly failed?: string;
}

/** A failure after all attempts, with how many there were and where the last one went. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly way: Way | undefined;
  readonly tried: readonly Tried[];
  constructor(failure: Failure, tried: readonly Tried[], way: Way | undefined) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.attempts = tried.length;
    this.tried = tried;
    this.way = way;
  }
}
