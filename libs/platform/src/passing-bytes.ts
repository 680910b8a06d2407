import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that may pass before their garbage is collected. */
const collectAfter = 8 * 1024 * 1024;

let collect: (() => void) | undefined;
let passed = 0;

/**
 * Counts bytes of large bodies that pass through the process. Each piece is a buffer outside of V8's heap, so that V8
 * sees little reason to collect before tens of megabytes lie about; a collection of the young ones, which takes about a
 * millisecond, keeps a process flat however much passes. Small bodies are not worth counting.
 */
export function notePassing(bytes: number): void {
  passed += bytes;
  if (passed < collectAfter) return;
  passed = 0;
  collect ??= collector();
  collect();
}

/** V8's own collector; it cannot be had otherwise while a process runs. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof gc === "function" ? () => void gc({ type: "minor" }) : () => undefined;
}
