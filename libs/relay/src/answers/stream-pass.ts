import type { ServerResponse } from "node:http";
import type { BodySink } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { onInterrupt } from "@modelgate/platform";
import { wroteBeyondBound } from "../money/allowance.ts";
import type { Carried, StreamCarrier } from "./exchange.ts";
import { brokenOff, type Inlet } from "./held-stream.ts";
import type { Metered } from "../money/measure.ts";

export interface StreamDelivery {
  readonly response: ServerResponse;
  readonly inlet: Inlet;
  readonly carrier: StreamCarrier;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Told of every chunk. */
  readonly watch?: { chunk(): void };
  /** How a stream goes on that has come to where its money ends. */
  readonly paid?: PaidStream;
  /**
   * Called when the vendor's stream is over and before the client's ends: money is settled first. `cut` is what it used
   * where its money ended it.
   */
  readonly ending: (failure: Failure | undefined, cut?: Metered) => void;
}

/** Why a stream goes no further: it is not paid for, the store is away, or it is longer than it was asked to be. */
export type StreamStop = Failure | typeof wroteBeyondBound;

/** What a stream runs on whose money may not last to its end. */
export interface PaidStream {
  /** Waits until more may pass; else tells why nothing does. */
  more(): Promise<StreamStop | undefined>;
  /** What was used until now, by a stream that ends for this reason. */
  meter(why: StreamStop): Promise<Metered>;
}

/** How a delivered stream ended. */
export type StreamEnd =
  | { readonly outcome: "completed" }
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "failed"; readonly failure: Failure };

/**
 * Brings a stream to the client with the client's pace (a slow reader pauses the vendor), a sign of life while the
 * vendor is silent, and the wire's own error where it breaks. Does not throw.
 */
export function deliverStream(delivery: StreamDelivery): Promise<StreamEnd> {
  return new StreamPass(delivery).ended;
}

/** One stream on its way; it is over once, however many things end it. */
class StreamPass implements BodySink {
  readonly ended: Promise<StreamEnd>;
  readonly #delivery: StreamDelivery;
  readonly #resolve: (end: StreamEnd) => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #onDrain: () => void;
  readonly #onClose: () => void;
  readonly #interruption: Disposable;
  #over = false;
  /** Whether frames wait until more is paid for; what the vendor said after them. */
  #dry = false;
  #after: (() => void) | undefined;

  constructor(delivery: StreamDelivery) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const { inlet, response } = delivery;
    this.ended = promise;
    this.#resolve = resolve;
    this.#delivery = delivery;
    this.#onDrain = () => {
      if (!this.#dry) inlet.resume();
    };
    this.#onClose = () => {
      this.#finish({ outcome: "cancelled" });
      inlet.abort();
    };
    this.#heartbeat = setInterval(() => this.#signOfLife(), delivery.heartbeatMs);
    response.on("drain", this.#onDrain).once("close", this.#onClose);
    this.#interruption = onInterrupt(response, (failure) => this.#fail(failure));
    inlet.pipe(this);
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    const { carrier, response, inlet } = this.#delivery;
    this.#heartbeat.refresh();
    if (chunk.length > 0) this.#delivery.watch?.chunk();
    let carried: Carried;
    try {
      carried = carrier.push(chunk);
    } catch (error) {
      return this.#fail(malformed(error));
    }
    // Nothing follows the terminal frame: a vendor that then resets, or never closes, has still answered whole.
    if (carrier.done && carried.failure === undefined) return this.end(carried.out);
    const flows = carried.out.length === 0 || response.write(carried.out);
    if (carried.failure !== undefined) return this.#fail(carried.failure);
    if (!flows || carried.isDry === true) inlet.pause();
    if (carried.isDry === true && !this.#dry)
      this.#waitForMoney().catch((error: unknown) => this.#fail(malformed(error)));
  }

  /** `before` is what the client gets before its stream's last words; all of it leaves after money and memory are told. */
  end(before: Buffer | string = ""): void {
    if (this.#over) return;
    if (this.#dry) return void (this.#after = () => this.end());
    const { response, inlet, carrier, ending } = this.#delivery;
    let last: Buffer | string;
    try {
      last = carrier.end();
    } catch (error) {
      if (before.length > 0) response.write(before);
      return this.#fail(malformed(error));
    }
    ending(undefined);
    this.#finish({ outcome: "completed" });
    // What may still come is read and dropped, so that the connection can serve the next call.
    inlet.resume();
    if (before.length > 0) response.write(before);
    response.end(last);
  }

  broken(error: Error): void {
    if (this.#dry && !this.#over) return void (this.#after = () => this.broken(error));
    this.#fail(brokenOff(error));
  }

  /** Holds the frames back that are not paid for, until they are or the stream ends there. */
  async #waitForMoney(): Promise<void> {
    const { response, inlet, paid } = this.#delivery;
    this.#dry = true;
    const stop = await paid?.more();
    if (stop !== undefined) return await this.#cut(stop);
    this.#dry = false;
    this.data(Buffer.alloc(0));
    if (this.#dry || this.#over) return;
    this.#after?.();
    if (!response.writableNeedDrain) inlet.resume();
  }

  /** Nothing more passes: the vendor is stopped, and the client told in its own words for an answer at its bound. */
  async #cut(why: StreamStop): Promise<void> {
    if (this.#over) return;
    const { response, inlet, carrier, ending, paid } = this.#delivery;
    inlet.abort();
    const isAtBound = why === wroteBeyondBound || why.code === "insufficient_quota";
    const metered = isAtBound ? await paid?.meter(why) : undefined;
    if (this.#over) return;
    const last = metered === undefined ? undefined : carrier.cut?.(metered.units);
    if (last === undefined) return this.#fail(why === wroteBeyondBound ? tooLong() : why);
    ending(undefined, metered);
    this.#finish({ outcome: "completed" });
    response.end(last);
  }

  #fail(failure: Failure): void {
    if (this.#over) return;
    const { response, inlet, carrier, requestId, ending } = this.#delivery;
    // The vendor's exchange was ended because the client left: that is no failure.
    if (response.destroyed) return this.#finish({ outcome: "cancelled" });
    const last = carrier.fail(failure, requestId);
    ending(failure);
    this.#finish({ outcome: "failed", failure });
    if (last === undefined) response.destroy();
    else response.end(last);
    inlet.abort();
  }

  #signOfLife(): void {
    const { response, carrier } = this.#delivery;
    const sign = response.writableNeedDrain ? "" : carrier.heartbeat();
    if (sign !== "") response.write(sign);
  }

  #finish(end: StreamEnd): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#heartbeat);
    this.#interruption[Symbol.dispose]();
    this.#delivery.response.off("drain", this.#onDrain).off("close", this.#onClose);
    this.#resolve(end);
  }
}

function tooLong(): Failure {
  return new Failure("upstream_error", "The vendor wrote more than it was asked for.");
}

function malformed(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error });
}
