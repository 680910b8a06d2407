import { setTimeout } from "node:timers/promises";
import { Failure, type Units } from "@modelgate/contracts";
import type { TaskReader, VendorLink, CompleteAnswer } from "./exchange.ts";

/** Default pause in ms before the first poll. It is short, because most images are finished quickly. */
export const defaultFirstPollMs = 300;
const longestPauseMs = 2_000;
const pauseGrowth = 1.5;
/** Number of consecutive 5xx answers after which polling ends. */
const maxFailedPolls = 3;
const tooManyRequests = 429;

/** Functions that read an answer which its vendor may not have finished. */
interface TaskReading<Answer> {
  /** Returns the id of the task in an unfinished answer; undefined for a finished one. */
  taskIn(bytes: Buffer): Promise<string | undefined>;
  read(bytes: Buffer): Promise<Answer>;
  /**
   * Returns the usage of the call that the answer reports. Undefined if further answers of the call have other usage.
   */
  usageIn(answer: Answer): Units | undefined;
  /** Converts a finished answer for the client. */
  finish(answer: Answer, link: VendorLink): Promise<CompleteAnswer>;
  /** Reads the usage of a cancelled task. Absent if tasks are not cancelled but finished without their clients. */
  readonly usageOf?: ((state: Buffer) => Units | undefined) | undefined;
  readonly waitMs: number;
  /** Pause in ms before the first poll; the later ones are longer. */
  readonly firstPollMs?: number | undefined;
}

/** Creates the reader of an answer that is polled until its vendor has finished it. */
export function taskReader<Answer>(reading: TaskReading<Answer>): TaskReader {
  const { taskIn, read, usageIn, usageOf, finish } = reading;
  return {
    kind: "task",
    async read(bytes) {
      const task = await taskIn(bytes);
      if (task !== undefined) {
        const run = usageOf && { id: task, hasEnded: false, usageOf };
        const finished = async (state: Buffer): Promise<Answer | undefined> => {
          const hasEnded = (await taskIn(state)) === undefined;
          if (run !== undefined) run.hasEnded = hasEnded;
          return hasEnded ? await read(state) : undefined;
        };
        return { run, finish: async (link) => finish(await pollUntilFinished(task, link, finished, reading), link) };
      }
      const answer = await read(bytes);
      return { usage: usageIn(answer), finish: (link) => finish(answer, link) };
    },
  };
}

/**
 * Polls a task until `parse` returns its answer. Throws Failure upstream_timeout after `waitMs`, or the failure of the
 * task or of a poll.
 */
async function pollUntilFinished<Answer>(
  task: string,
  vendor: VendorLink,
  parse: (answer: Buffer) => Promise<Answer | undefined>,
  { waitMs, firstPollMs = defaultFirstPollMs }: Pick<TaskReading<Answer>, "firstPollMs" | "waitMs">,
): Promise<Answer> {
  const deadline = Date.now() + waitMs;
  let failedPolls = 0;
  for (let pause = firstPollMs; Date.now() < deadline; pause = Math.min(pause * pauseGrowth, longestPauseMs)) {
    await setTimeout(pause, undefined, { signal: vendor.signal });
    const pollResult = await poll(vendor, task);
    // A vendor that refuses frequent polls still works on the task.
    if (pollResult instanceof Failure && pollResult.status === tooManyRequests) continue;
    failedPolls = pollResult instanceof Failure ? failedPolls + 1 : 0;
    if (pollResult instanceof Failure) {
      // The task is not started again, because the vendor may still work on it and would charge twice.
      if (pollResult.status < 500 || failedPolls >= maxFailedPolls) throw pollResult;
      continue;
    }
    const answer = await parse(pollResult);
    if (answer !== undefined) return answer;
  }
  throw new Failure("upstream_timeout", `The vendor's task did not finish within ${waitMs} ms.`);
}

async function poll(vendor: VendorLink, task: string): Promise<Buffer | Failure> {
  try {
    return await vendor.poll(task);
  } catch (error) {
    if (error instanceof Failure && !vendor.signal.aborted) return error;
    throw error;
  }
}
