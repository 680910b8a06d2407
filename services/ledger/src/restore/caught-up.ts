import type { Bus } from "@modelgate/platform";
import { streamConsumers } from "../record-events.ts";

/** Pause between two looks at the streams. */
const pollMs = 50;

/**
 * Waits until the books have what these streams had at the beginning: what comes later is no part of it. False where that takes
 * longer than `withinMs`, as it does while NATS is away.
 */
export async function caughtUp(
  bus: Bus,
  streams: readonly (keyof typeof streamConsumers)[],
  withinMs: number,
): Promise<boolean> {
  const marks = new Map<string, number>();
  const isRead = async (stream: keyof typeof streamConsumers): Promise<boolean> => {
    const found = await bus.progress(stream, streamConsumers[stream]);
    if (found === undefined) return false; // about to be made anew
    const mark = marks.get(stream) ?? found.last;
    marks.set(stream, mark);
    // A stream that was made anew begins at 1.
    return found.handled >= mark || found.last < mark;
  };
  for (const end = Date.now() + withinMs; ;) {
    const read = await Promise.all(streams.map(isRead)).catch(() => [false]);
    if (!read.includes(false)) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
