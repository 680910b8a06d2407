import { spawnService, type Child } from "@modelgate/deploy/local";
import { WarmProcess, type Started } from "./warm-process.ts";

/** Number of runs after which a process is not used again, because small remains of runs may accumulate. */
const maxRuns = 25;

const idle = new Map<string, WarmProcess[]>();
const processOfRun = new WeakMap<Child, { readonly key: string; readonly process: WarmProcess }>();

const isTestRun = process.env["VITEST"] !== undefined;

/**
 * Starts a service, if possible in a process that has run the same program before. Outside of test runs, and with
 * variables for Node itself, starts a new process.
 */
export const spawnWarm: typeof spawnService = (options) => {
  const { name, command, args, env = {} } = options;
  const program = args.at(-1) ?? "";
  // Node reads variables with this prefix when a process starts.
  if (!isTestRun || Object.keys(env).some((variable) => variable.startsWith("NODE_"))) return spawnService(options);
  // Modules of another service would appear in the metrics.
  const key = [name, command, ...args].join(" ");
  const process_ = takeIdle(key) ?? new WarmProcess(command, args.slice(0, -1));
  const started: Started = process_.start({ name, program, env: definedIn({ ...process.env, ...env }) });
  processOfRun.set(started.child, { key, process: process_ });
  return started;
};

/** Ends a service. Its process is kept for the next start if possible. */
export async function finishService(child: Child): Promise<void> {
  const warmRun = processOfRun.get(child);
  if (warmRun === undefined || !child.running) return child.stop();
  const { key, process: process_ } = warmRun;
  if (!(await process_.finish())) return;
  if (process_.runs < maxRuns) idle.set(key, [...(idle.get(key) ?? []), process_]);
  else await process_.end();
}

function takeIdle(key: string): WarmProcess | undefined {
  const idleProcesses = (idle.get(key) ?? []).filter(({ canRun }) => canRun);
  const idleProcess = idleProcesses.pop();
  idle.set(key, idleProcesses);
  return idleProcess;
}

function definedIn(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
