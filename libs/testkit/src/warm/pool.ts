import { spawnService, type Child } from "@modelgate/deploy/local";
import { WarmProcess, type Started } from "./warm-process.ts";

/** Number of runs after which a process is not used again, because small remains of runs may accumulate. */
const maxRuns = 25;

/** Maximum number of idle processes. Each has about 150 MB. */
const maxIdle = 12;

interface KeyedProcess {
  readonly key: string;
  readonly process: WarmProcess;
}

/** Processes without a run, the longest idle first. */
let idle: readonly KeyedProcess[] = [];
const processOfRun = new WeakMap<Child, KeyedProcess>();

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
  const { process: process_ } = warmRun;
  if (!(await process_.finish())) return;
  if (process_.runs >= maxRuns) return process_.end();
  const all = [...idle, warmRun];
  idle = all.slice(-maxIdle);
  await Promise.all(all.slice(0, -maxIdle).map((evicted) => evicted.process.end()));
}

function takeIdle(key: string): WarmProcess | undefined {
  const taken = idle.findLast((each) => each.key === key && each.process.canRun);
  idle = idle.filter((each) => each !== taken && each.process.canRun);
  return taken?.process;
}

function definedIn(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
