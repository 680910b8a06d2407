import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { register } from "prom-client";
import { runEndMark, type WarmOrder } from "./orders.ts";

/**
 * Runs a service's program repeatedly in one process, because loading its modules takes most of a start's time. Each
 * run has separate variables, ports, connections and log. A run that ends by itself, by a signal or with a failure also
 * ends the process.
 */
const disconnect = process.disconnect?.bind(process);
// oxlint-disable-next-line no-restricted-properties
const exit: typeof process.exit = process.exit.bind(process);

/** Process events whose listeners are removed after each run. */
const runEvents = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as const;

let run = 0;
const runs = new AsyncLocalStorage<number>();
let ending = false;
const accepted = new Set<Socket>();

process.disconnect = () => {
  // A program that was ordered to end must not close the IPC channel, because the next run needs it. Other calls pass:
  // that of a program that ends by itself, and that of Node when the test process has ended.
  const isOfProgram = runs.getStore() !== undefined;
  if (process.connected && !(isOfProgram && ending)) disconnect?.();
};
replaceMetrics();
process.exit = new Proxy<typeof process.exit>(exit, { apply: exitOfItsRun });
subscribe("net.server.socket", (message) => noteSocket(message));
process.on("disconnect", exitAtOnce);
process.on("message", (order: WarmOrder) => {
  if ("end" in order) end();
  else void runs.run(run, () => begin(order.run, order.env));
});

async function begin(program: string, env: Readonly<Record<string, string>>): Promise<void> {
  process.off("disconnect", exitAtOnce);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    // A program that is imported under a new address is evaluated again. Its modules stay loaded.
    await import(`${pathToFileURL(program).href}?run=${run}`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
  if (!ending || process.exitCode !== undefined) {
    if (process.connected) disconnect?.();
    return;
  }
  forgetRun();
  process.on("disconnect", exitAtOnce);
  if (process.connected) writeSync(1, runEndMark);
  else exitAtOnce();
}

/** Ends the program as a signal would, and closes connections that its drain would keep open for a moment. */
function end(): void {
  ending = true;
  if (!process.emit("SIGTERM", "SIGTERM")) exitAtOnce(); // the program does not listen for the signal yet
  for (const socket of accepted) socket.destroy();
}

function forgetRun(): void {
  run++;
  ending = false;
  for (const event of runEvents) process.removeAllListeners(event);
  process.removeAllListeners("disconnect");
  process.stderr.removeAllListeners("error");
}

function noteSocket(message: unknown): void {
  const socket = typeof message === "object" && message !== null && "socket" in message ? message.socket : undefined;
  if (!(socket instanceof Socket)) return;
  if (ending) return void socket.destroy();
  accepted.add(socket);
  socket.once("close", () => accepted.delete(socket));
}

/** Exits only if the code belongs to the current run. A timer of an earlier program must not end a later run. */
function exitOfItsRun(_: unknown, __: unknown, [status]: [number | undefined]): void {
  if (runs.getStore() === run) exit(status);
}

/** Lets a run declare metrics that an earlier run has already declared. */
function replaceMetrics(): void {
  const declaredIn = new Map<string, number>();
  const declare: typeof register.registerMetric = register.registerMetric.bind(register);
  register.registerMetric = (metric) => {
    const [name] = "name" in metric && typeof metric.name === "string" ? [metric.name] : [""];
    if (declaredIn.has(name) && declaredIn.get(name) !== run) register.removeSingleMetric(name);
    declaredIn.set(name, run);
    declare(metric);
  };
}

/** Exits even if a run has left something open. */
function exitAtOnce(): void {
  exit(0);
}
