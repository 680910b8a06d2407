import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { register } from "prom-client";
import { overMark, type Order } from "./orders.ts";

/**
 * Runs a service's own program, as often as its tests ask, in one process: each run is that program from its first line to
 * the end of its drain, with variables, ports, connections and log of its own. What stays from run to run is what costs most
 * of a start, the loaded modules. A run that ends by itself, by a signal or with a failure ends the process, as it would alone.
 */
const disconnect = process.disconnect?.bind(process);
// oxlint-disable-next-line no-restricted-properties
const exit: typeof process.exit = process.exit.bind(process);

/** Listeners of a run on the process, which would otherwise hear of the next run's end. */
const runEvents = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as const;

let run = 0;
/** The run that code belongs to, whenever it is executed. */
const runs = new AsyncLocalStorage<number>();
let ending = false;
const accepted = new Set<Socket>();

process.disconnect = () => {
  // A program's last step, where the channel is for the next run, too. Node itself calls it where our tests are gone.
  const isOfProgram = runs.getStore() !== undefined;
  if (process.connected && !(isOfProgram && ending)) disconnect?.();
};
replaceMetrics();
process.exit = new Proxy<typeof process.exit>(exit, { apply: exitOfItsRun });
subscribe("net.server.socket", (message) => note(message));
process.on("disconnect", exitAtOnce);
process.on("message", (order: Order) => {
  if ("end" in order) end();
  else void runs.run(run, () => begin(order.run, order.env));
});

async function begin(program: string, env: Readonly<Record<string, string>>): Promise<void> {
  process.off("disconnect", exitAtOnce);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    // Under another address, so that it is evaluated again; what it imports is there.
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
  if (process.connected) writeSync(1, overMark);
  else exitAtOnce();
}

/** Ends the program as a signal would, and at once the connections that its drain would keep for last answers. */
function end(): void {
  ending = true;
  if (!process.emit("SIGTERM", "SIGTERM")) exitAtOnce(); // it has not come so far as to listen
  for (const socket of accepted) socket.destroy();
}

/** Leaves what a new process would have. */
function forgetRun(): void {
  run++;
  ending = false;
  for (const event of runEvents) process.removeAllListeners(event);
  process.removeAllListeners("disconnect");
  process.stderr.removeAllListeners("error");
}

function note(message: unknown): void {
  const socket = typeof message === "object" && message !== null && "socket" in message ? message.socket : undefined;
  if (!(socket instanceof Socket)) return;
  if (ending) return void socket.destroy();
  accepted.add(socket);
  socket.once("close", () => accepted.delete(socket));
}

/**
 * Exits for the run that goes on. A program sets a timer to exit whatever still hangs; here the process may outlive that
 * timer, which must not end the next run.
 */
function exitOfItsRun(_: unknown, __: unknown, [status]: [number | undefined]): void {
  if (runs.getStore() === run) exit(status);
}

/** Lets a run declare metrics again that one before it declared, as programs do when they open. */
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

/** Ends the process at once, whatever a run has left open. */
function exitAtOnce(): void {
  exit(0);
}
