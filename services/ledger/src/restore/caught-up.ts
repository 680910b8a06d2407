import type { Bus } from "@modelgate/platform";
import { streamConsumers } from "../record-events.ts";

const pollMs = 50;

/** Waits until the books have the events that are now in the streams. Returns false after `withinMs`. */
export async function waitUntilCaughtUp(
  bus: Bus,
  streams: readonly (keyof typeof streamConsumers)[],
  withinMs: number,
): Promise<boolean> {
  const targets = new Map<string, number>();
  const isRead = async (stream: keyof typeof streamConsumers): Promise<boolean> => {
    const found = await bus.readProgress(stream, streamConsumers[stream]);
    if (found === undefined) return false; // the stream is missing, and is about to be recreated
    const target = targets.get(stream) ?? found.last;
    targets.set(stream, target);
    // A recreated stream numbers its messages from 1. If its last number is below `target`, the awaited events are
    // gone.
    return found.handled >= target || found.last < target;
  };
  for (const end = Date.now() + withinMs; ;) {
    const read = await Promise.all(streams.map(isRead)).catch(() => [false]);
    if (!read.includes(false)) return true;
    if (Date.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
