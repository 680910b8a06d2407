import type { ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";
import { SseSplitter, type PassCodec } from "@modelgate/wires";
import type { Gear } from "./gear.ts";
import { brokenOff, type Inlet } from "./inlet.ts";
import type { Produced } from "./produced.ts";

export interface StreamDelivery {
  readonly response: ServerResponse;
  readonly inlet: Inlet;
  readonly wire: PassCodec;
  readonly gear: Gear;
  /** The client's name of the model, where the vendor's is another. */
  readonly rename: string | undefined;
  /** Whether frames that carry only usage are hidden. */
  readonly hideUsage: boolean;
  readonly produced: Produced;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Called when the vendor's stream is over and before the client's ends: money is settled first. */
  readonly ending: (failure: Failure | undefined) => void;
}

/** How a delivered stream ended. */
export type StreamEnd =
  | { readonly outcome: "completed" }
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "failed"; readonly failure: Failure };

/**
 * Passes a stream on: frames as they came, with the client's pace (a slow reader pauses the vendor), a sign of life
 * while the vendor is silent, and the wire's own error frame where it breaks. Does not throw.
 */
export function deliverStream(delivery: StreamDelivery): Promise<StreamEnd> {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>();
  const { response, inlet, wire, gear, heartbeatMs } = delivery;
  const splitter = new SseSplitter();
  const state = { done: false, over: false };

  const onDrain = (): void => inlet.resume();
  const onClose = (): void => {
    finish({ outcome: "cancelled" });
    inlet.abort();
  };
  const heartbeat = setInterval(() => {
    // Only between frames: with a frame half written the comment would end up inside it.
    if (!response.writableNeedDrain && (gear === "patched" || splitter.empty)) response.write(wire.heartbeat);
  }, heartbeatMs);
  response.on("drain", onDrain).once("close", onClose);

  function finish(end: StreamEnd): boolean {
    if (state.over) return false;
    state.over = true;
    clearInterval(heartbeat);
    response.off("drain", onDrain).off("close", onClose);
    resolve(end);
    return true;
  }

  function fail(failure: Failure): void {
    if (state.over) return;
    delivery.ending(failure);
    finish({ outcome: "failed", failure });
    // What stands half written is closed off by the empty line, so that the error is a frame of its own.
    response.end(
      `${gear === "bytes" && !splitter.empty ? "\n\n" : ""}${wire.failureFrame(failure, delivery.requestId)}`,
    );
    inlet.abort();
  }

  /** The bytes for the client out of a chunk; undefined where the vendor said that it failed. */
  function pass(chunk: Buffer): Buffer | undefined {
    const kept: Buffer[] = [];
    for (const frame of splitter.push(chunk)) {
      const seen = wire.see(frame);
      if (seen.failed) return undefined;
      if (seen.done) state.done = true;
      else if (seen.usage !== undefined) delivery.produced.usage = seen.usage;
      if (!seen.usageOnly) delivery.produced.add(frame);
      if (seen.usageOnly && delivery.hideUsage) continue;
      if (gear === "patched")
        kept.push(delivery.rename === undefined || seen.done ? frame : wire.renameFrame(frame, delivery.rename));
    }
    return gear === "bytes" ? chunk : kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
  }

  inlet.pipe({
    data(chunk) {
      if (state.over) return;
      heartbeat.refresh();
      let bytes: Buffer | undefined;
      try {
        bytes = pass(chunk);
      } catch (error) {
        return fail(new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error }));
      }
      if (bytes === undefined)
        return fail(new Failure("upstream_error", "The vendor failed in the middle of its answer."));
      if (bytes.length > 0 && !response.write(bytes)) inlet.pause();
    },
    end() {
      if (state.over) return;
      const rest = splitter.end();
      if (wire.see(rest).done) state.done = true;
      if (!state.done) return fail(new Failure("upstream_error", "The vendor's answer was cut off."));
      delivery.ending(undefined);
      if (finish({ outcome: "completed" })) response.end(gear === "patched" ? rest : undefined);
    },
    broken(error) {
      fail(brokenOff(error));
    },
  });
  return promise;
}
