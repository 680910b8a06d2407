import type { ServerResponse } from "node:http";
import type { BodySink } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { Carried, StreamCarrier } from "./exchange.ts";
import { brokenOff, type Inlet } from "./inlet.ts";

export interface StreamDelivery {
  readonly response: ServerResponse;
  readonly inlet: Inlet;
  readonly carrier: StreamCarrier;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Told of every chunk. */
  readonly watch?: { chunk(): void };
  /** Called when the vendor's stream is over and before the client's ends: money is settled first. */
  readonly ending: (failure: Failure | undefined) => void;
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
  #over = false;

  constructor(delivery: StreamDelivery) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const { inlet, response } = delivery;
    this.ended = promise;
    this.#resolve = resolve;
    this.#delivery = delivery;
    this.#onDrain = () => inlet.resume();
    this.#onClose = () => {
      this.#finish({ outcome: "cancelled" });
      inlet.abort();
    };
    this.#heartbeat = setInterval(() => this.#signOfLife(), delivery.heartbeatMs);
    response.on("drain", this.#onDrain).once("close", this.#onClose);
    inlet.pipe(this);
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    const { carrier, response, inlet } = this.#delivery;
    this.#heartbeat.refresh();
    this.#delivery.watch?.chunk();
    let carried: Carried;
    try {
      carried = carrier.push(chunk);
    } catch (error) {
      return this.#fail(malformed(error));
    }
    // Nothing follows the terminal frame: a vendor that then resets, or never closes, has still answered whole.
    if (carrier.done && carried.failure === undefined) return this.end(carried.out);
    const flows = carried.out.length === 0 || response.write(carried.out);
    if (carried.failure !== undefined) this.#fail(carried.failure);
    else if (!flows) inlet.pause();
  }

  /** `before` is what the client gets before its stream's last words; all of it leaves after money and memory are told. */
  end(before: Buffer | string = ""): void {
    if (this.#over) return;
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
    this.#fail(brokenOff(error));
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
    this.#delivery.response.off("drain", this.#onDrain).off("close", this.#onClose);
    this.#resolve(end);
  }
}

function malformed(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error });
}
