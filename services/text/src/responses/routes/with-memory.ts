import type { ServiceCall } from "@modelgate/platform";
import type { ResponsesDeps } from "../deps.ts";
import type { RecordMemory } from "../record-reader.ts";

/** Calls `work` with part of the caller's memory budget. The memory is released after the answer. */
export async function withMemory<Result>(
  { body: { budget } }: Pick<ResponsesDeps, "body">,
  { caller, response }: Pick<ServiceCall, "caller" | "response">,
  work: (memory: RecordMemory) => Promise<Result>,
): Promise<Result> {
  const memory = budget.openHolding(caller);
  const release = (): void => memory[Symbol.dispose]();
  try {
    return await work(memory);
  } finally {
    const isAnswering = response.writableEnded && !response.writableFinished && !response.destroyed;
    if (isAnswering) response.once("close", release);
    else release();
  }
}
