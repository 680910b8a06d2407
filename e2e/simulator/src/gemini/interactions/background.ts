import { setTimeout } from "node:timers/promises";
import { Refusal } from "../../checks/refusal.ts";
import type { Behaviour } from "../../behaviour.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { Endpoint } from "../../vendor.ts";
import type { InteractionRequest } from "./read.ts";
import { completedFrame, headOf, renderInteraction, streamInteraction } from "./render.ts";

/** Interaction in the background. It runs even if no client reads its stream. */
interface BackgroundRun {
  readonly head: ReturnType<typeof headOf>;
  /** State after completion. */
  readonly completed: Readonly<Record<string, unknown>>;
  /** Empty if no stream was requested. */
  readonly frames: readonly Frame[];
  /** True after the first poll, which returns the interaction in progress. */
  isSeen: boolean;
  isCancelled: boolean;
}

const maxRuns = 1_000;
const runs = new Map<string, BackgroundRun>();

export function startInBackground(
  key: string,
  request: InteractionRequest,
  behaviour: Behaviour,
): { readonly head: object; readonly streamed: Streamed } {
  const head = headOf(request);
  const completed = { ...renderInteraction(request, behaviour), id: head.id };
  const stream = streamInteraction(request, behaviour, head);
  const run: BackgroundRun = { head, completed, frames: [...stream.frames], isSeen: false, isCancelled: false };
  const [oldest] = runs.keys();
  if (runs.size >= maxRuns && oldest !== undefined) runs.delete(oldest);
  runs.set(`${key}\n${head.id}`, run);
  return { head, streamed: { ...stream, frames: framesOf(run, 0) } };
}

/** Yields the events from an index on. A cancellation ends the stream. */
async function* framesOf(run: BackgroundRun, from: number): AsyncGenerator<Frame> {
  for (const frame of run.frames.slice(from)) {
    if (run.isCancelled) {
      yield completedFrame(cancelledInteraction(run));
      return;
    }
    yield frame;
    // Lets a cancellation arrive between two events.
    await setTimeout();
  }
}

/** Returns a cancelled interaction, which has its usage, but no output. */
function cancelledInteraction({ head, completed }: BackgroundRun): object {
  return { ...head, status: "cancelled", usage: completed["usage"] };
}

export const getInteraction: Endpoint = {
  method: "GET",
  path: /^\/v1(?:beta2?)?\/interactions\/([^/:]+)$/,
  open({ groups: [id = ""], key, query }) {
    const run = runOf(key, id);
    if (query.get("stream") === "true") {
      const last = query.get("last_event_id");
      const at = last === null ? -1 : run.frames.findIndex(({ data }) => data.includes(JSON.stringify(last)));
      if (run.frames.length === 0 || (last !== null && at < 0))
        throw new Refusal(400, "The stream of this interaction cannot be resumed from this event.");
      const streamed = { error: (): Frame => ({ data: "{}" }), frames: framesOf(run, at + 1) };
      return { whole: () => run.completed, streamed: () => streamed };
    }
    return {
      whole() {
        const { completed, isSeen, isCancelled } = run;
        run.isSeen = true;
        if (isCancelled) return cancelledInteraction(run);
        return isSeen ? completed : { ...completed, status: "in_progress", steps: [] };
      },
    };
  },
};

export const cancelInteraction: Endpoint = {
  method: "POST",
  path: /^\/v1(?:beta2?)?\/interactions\/([^/:]+)\/cancel$/,
  open({ groups: [id = ""], key }) {
    const run = runOf(key, id);
    return {
      whole() {
        run.isCancelled = true;
        return cancelledInteraction(run);
      },
    };
  },
};

function runOf(key: string, id: string): BackgroundRun {
  const run = runs.get(`${key}\n${id}`);
  if (run === undefined) throw new Refusal(404, `Interaction ${id} was not found.`);
  return run;
}
