import { constants } from "node:os";

/** How often the parent is looked at: npm killed by a signal does not pass it on. */
const watchMs = 500;
/** npm passes on what a terminal has sent to everybody already: the same signal again within this time is that. */
const echoMs = 300;

/** Somebody wants an end before the task has begun. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`ended by ${signal}`);
    this.status = statusOf(signal);
  }
}

let interruptedBy;
let listener = () => undefined;

/** Listens from now on for what wants our end: a signal, or our parent's own end, which counts as SIGTERM. */
export function watchForInterrupts() {
  const heard = new Map();
  const hear = (signal) => {
    const now = performance.now();
    if (now - (heard.get(signal) ?? -Infinity) < echoMs) return;
    heard.set(signal, now);
    interruptedBy ??= signal;
    listener(signal);
  };
  process.on("SIGINT", () => hear("SIGINT"));
  process.on("SIGTERM", () => hear("SIGTERM"));
  process.on("SIGHUP", () => hear("SIGTERM"));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    hear("SIGTERM");
  }, watchMs);
  watch.unref();
}

/** Calls the listener for every such wish; returns what ends that. */
export function onInterrupt(onWish) {
  listener = onWish;
  return () => {
    listener = () => undefined;
  };
}

export function throwIfInterrupted() {
  if (interruptedBy !== undefined) throw new Interrupted(interruptedBy);
}

/** What a shell says of a program that a signal ended. */
export function statusOf(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

/** Sends a signal to a process that leads a group, and to all in it. */
export function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch {
    // no process is left
  }
}
