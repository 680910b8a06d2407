import { Failure } from "@modelgate/contracts";
import type { UpstreamAnswer } from "@modelgate/channels";
import type { BufferBudget } from "@modelgate/platform";
import type { Exchange } from "./exchange.ts";
import { brokenOff } from "./inlet.ts";

/**
 * Reads an answer that is no stream, whole and within its bound, so that a broken one can be had from elsewhere. Throws
 * Failure upstream_error for what is cut, too large, no JSON object, or an error in disguise.
 */
export async function readAnswer(
  answer: UpstreamAnswer,
  exchange: Exchange,
  mostBytes: number,
  budget: BufferBudget,
): Promise<Buffer> {
  const bytes = await collect(answer, mostBytes, budget);
  // An answer with usage at its end is whole; only what has none is parsed to be sure.
  if (exchange.usageOf(bytes) === undefined) check(bytes);
  return bytes;
}

/** A body whole, within its bound. Throws Failure upstream_error for one that is too large or breaks off. */
export function collect(answer: UpstreamAnswer, mostBytes: number, budget: BufferBudget): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const fail = (failure: unknown): void => {
    reject(failure instanceof Error ? failure : new Failure("upstream_error"));
    answer.abort();
  };
  answer.pipe({
    data(chunk) {
      try {
        if (size + chunk.length > mostBytes)
          throw new Failure("upstream_error", `The vendor's answer is larger than ${mostBytes} bytes.`);
        budget.take(chunk.length);
      } catch (failure) {
        return fail(failure);
      }
      size += chunk.length;
      chunks.push(chunk);
    },
    end: () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)),
    broken: (error) => reject(brokenOff(error)),
  });
  return promise.finally(() => budget.give(size));
}

function check(bytes: Buffer): void {
  let answer: unknown;
  try {
    answer = JSON.parse(bytes.toString());
  } catch (error) {
    throw new Failure("upstream_error", "The vendor's answer is not valid JSON.", { cause: error });
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Failure("upstream_error", "The vendor's answer is not a JSON object.");
  if ("error" in answer && typeof answer.error === "object" && answer.error !== null)
    throw new Failure("upstream_error", "The vendor answered with an error.");
}
