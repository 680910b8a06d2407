import type { Bus } from "@modelgate/platform";
import { streamConsumers } from "../record-events.ts";

/** Pause, in ms, between two polls of the streams. */
const pollMs = 50;

/**
 * Waits until the books have everything that the streams contained at the start of the wait. Returns false if that
 * takes longer than `withinMs`, for example while NATS is unavailable.
 */
export async function waitUntilCaughtUp(
  bus: Bus,
  streams: readonly (keyof typeof streamConsumers)[],
  withinMs: number,
): Promise<boolean> {
  const marks = new Map<string, number>();
  const isRead = async (stream: keyof typeof streamConsumers): Promise<boolean> => {
    const found = await bus.progress(stream, streamConsumers[stream]);
    if (found === undefined) return false; // the stream is missing, and is about to be recreated
    const mark = marks.get(stream) ?? found.last;
    marks.set(stream, mark);
    // A recreated stream numbers its messages from 1, so its last number is below the mark.
    return found.handled >= mark || found.last < mark;
  };
  for (const end = Date.now() + withinMs; ;) {
    const read = await Promise.all(streams.map(isRead)).catch(() => [false]);
    if (!read.includes(false)) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
