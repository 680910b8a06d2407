import type { StreamCarrier } from "../answers/exchange.ts";
import type { Inlet } from "../answers/held-stream.ts";

/** How a stream ended whose client had left before it began. */
export type HeardEnd = "completed" | "failed";

/**
 * Reads a stream to its end for what it says that it used: its client has left. What is longer than `mostBytes` has
 * failed, as what breaks off.
 */
export function hearOut(inlet: Inlet, carrier: StreamCarrier, mostBytes: number): Promise<HeardEnd> {
  const { promise, resolve } = Promise.withResolvers<HeardEnd>();
  let size = 0;
  const end = (): void => {
    try {
      carrier.end();
      resolve("completed");
    } catch {
      resolve("failed");
    }
  };
  const fail = (): void => {
    resolve("failed");
    inlet.abort();
  };
  inlet.pipe({
    data(chunk) {
      size += chunk.length;
      try {
        if (size > mostBytes || carrier.push(chunk).failure !== undefined) return fail();
      } catch {
        return fail();
      }
      if (carrier.done) end();
    },
    end,
    broken: fail,
  });
  return promise;
}
