import { setTimeout } from "node:timers/promises";

/** Waits without keeping the process alive, because clients may leave long before a simulated delay ends. */
export function pause(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}
