import { constants } from "node:os";

/** Interval in ms between checks of the parent process, because a killed npm does not forward the signal. */
const watchMs = 500;
/**
 * Time in ms in which the same signal is a repetition, because npm forwards a signal that the terminal has already
 * sent.
 */
const echoMs = 300;

/** Error for an interruption before the task has started. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`ended by ${signal}`);
    this.status = statusOf(signal);
  }
}

let interruptedBy;
let listener = () => undefined;

/** Listens for signals, and for the end of the parent process, which is treated as SIGTERM. */
export function watchForInterrupts() {
  const receivedAt = new Map();
  const receive = (signal) => {
    const now = performance.now();
    if (now - (receivedAt.get(signal) ?? -Infinity) < echoMs) return;
    receivedAt.set(signal, now);
    interruptedBy ??= signal;
    listener(signal);
  };
  process.on("SIGINT", () => receive("SIGINT"));
  process.on("SIGTERM", () => receive("SIGTERM"));
  process.on("SIGHUP", () => receive("SIGTERM"));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    receive("SIGTERM");
  }, watchMs);
  watch.unref();
}

/** Calls the listener at each interruption. Returns a function that removes it. */
export function onInterrupt(newListener) {
  listener = newListener;
  return () => {
    listener = () => undefined;
  };
}

export function throwIfInterrupted() {
  if (interruptedBy !== undefined) throw new Interrupted(interruptedBy);
}

/** Returns the exit status of a program that a signal ended. */
export function statusOf(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

/** Sends a signal to a process group. */
export function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch {
    // No process of the group is left.
  }
}
