import { setTimeout } from "node:timers/promises";
import { Refusal } from "../../checks/refusal.ts";
import type { Behaviour } from "../../behaviour.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { Endpoint } from "../../vendor.ts";
import type { InteractionRequest } from "./read.ts";
import { completedFrame, headOf, renderInteraction, streamInteraction } from "./render.ts";

/** Interaction in the background. It runs whether or not a client reads its stream. */
interface Made {
  readonly head: ReturnType<typeof headOf>;
  /** State of the interaction when it has completed. */
  readonly over: Readonly<Record<string, unknown>>;
  /** Events of its stream; empty if the request did not ask for a stream. */
  readonly frames: readonly Frame[];
  /** True after the first poll. The first poll returns the interaction in progress, later ones return it completed. */
  isSeen: boolean;
  isCancelled: boolean;
}

const maxMade = 1_000;
const made = new Map<string, Made>();

/** Starts an interaction in the background. Returns its first state, and its stream. */
export function startInBackground(
  key: string,
  asked: InteractionRequest,
  behaviour: Behaviour,
): { readonly head: object; readonly streamed: Streamed } {
  const head = headOf(asked);
  const over = { ...renderInteraction(asked, behaviour), id: head.id };
  const stream = streamInteraction(asked, behaviour, head);
  const run: Made = { head, over, frames: [...stream.frames], isSeen: false, isCancelled: false };
  const [oldest] = made.keys();
  if (made.size >= maxMade && oldest !== undefined) made.delete(oldest);
  made.set(`${key}\n${head.id}`, run);
  return { head, streamed: { ...stream, frames: framesOf(run, 0) } };
}

/** Yields the events from an index on. After a cancellation, only the event that ends the stream follows. */
async function* framesOf(run: Made, from: number): AsyncGenerator<Frame> {
  for (const frame of run.frames.slice(from)) {
    if (run.isCancelled) {
      yield completedFrame(cancelled(run));
      return;
    }
    yield frame;
    // The client may cancel between two events.
    await setTimeout();
  }
}

/** Returns the state of a cancelled interaction, with its usage and without its output. */
function cancelled({ head, over }: Made): object {
  return { ...head, status: "cancelled", usage: over["usage"] };
}

/** Endpoint `GET /interactions/{id}`, for interactions that run in the background. */
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
      return { whole: () => run.over, streamed: () => streamed };
    }
    return {
      whole() {
        const { over, isSeen, isCancelled } = run;
        run.isSeen = true;
        if (isCancelled) return cancelled(run);
        return isSeen ? over : { ...over, status: "in_progress", steps: [] };
      },
    };
  },
};

/** Endpoint `POST /interactions/{id}/cancel`, for interactions that run in the background. */
export const cancelInteraction: Endpoint = {
  method: "POST",
  path: /^\/v1(?:beta2?)?\/interactions\/([^/:]+)\/cancel$/,
  open({ groups: [id = ""], key }) {
    const run = runOf(key, id);
    return {
      whole() {
        run.isCancelled = true;
        return cancelled(run);
      },
    };
  },
};

function runOf(key: string, id: string): Made {
  const run = made.get(`${key}\n${id}`);
  if (run === undefined) throw new Refusal(404, `Interaction ${id} was not found.`);
  return run;
}
