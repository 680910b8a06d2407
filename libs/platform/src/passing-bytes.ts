import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that may pass before their garbage is collected. */
const collectAfter = 8 * 1024 * 1024;

/** How V8 is asked to collect: at once, or as a task of its own between two others, which scans no stack. */
type Collect = (type: "minor" | "major", execution: "sync" | "async") => void;

let collect: Collect | undefined;
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
  collect("minor", "sync");
}

/** Bodies from this size on leave garbage that is collected when they are done with. */
const largeBytes = 1024 * 1024;
/** Quiet time after the last of them; under load V8 collects by itself. */
const quietMs = 3_000;

let pending: NodeJS.Timeout | undefined;

/**
 * Notes that a body is needed no longer. Its bytes, its strings and what was parsed from it are old garbage by then, which
 * V8 leaves lying for as long as nothing more is asked of it: after a quiet while all of it is collected.
 */
export function noteDone(bytes: number): void {
  if (bytes < largeBytes) return;
  collect ??= collector();
  if (pending !== undefined) return void pending.refresh();
  pending = setTimeout(() => {
    pending = undefined;
    // What was young a moment ago is old garbage only after this: else it would wait for a second collection.
    collect?.("minor", "sync");
    collect?.("major", "async");
  }, quietMs);
  pending.unref();
}

/** V8's own collector; it cannot be had otherwise while a process runs. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof gc === "function" ? (type, execution) => void gc({ type, execution }) : () => undefined;
}
