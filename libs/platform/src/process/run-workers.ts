import type { ServiceFrame } from "../service-variables.ts";
import { serviceVariables } from "../service-variables.ts";
import { readVariables } from "../variables.ts";
import { report, runProcess } from "./run-process.ts";
import type { Service } from "./service.ts";
import { supervise } from "./supervise.ts";

/** Services of a program, and its number of processes. */
export interface WorkPlan {
  readonly workers: number;
  /** Names of the services; the first one's variables name the port of probes. */
  readonly names: readonly string[];
  /** Loads the services of one worker; workers are numbered from 1. */
  readonly load: (worker: number) => Promise<readonly Service[]>;
}

/** Argument before a worker's number on its command line. */
const workerArgument = "worker";

/**
 * Runs a program's services in this process or, if it has several workers, in processes that share the services' ports:
 * the kernel distributes connections among them. This process then only supervises: it restarts a worker that dies,
 * serves the probes, and exits when all workers have. A worker is this program with the arguments `worker N`.
 */
export async function runWorkers({ program, plan }: { program: string; plan: () => WorkPlan }): Promise<void> {
  const [, , argument, number] = process.argv;
  if (argument === workerArgument) return runProcess(() => plan().load(Number(number)), Number(number));
  try {
    const { workers, names, load } = plan();
    if (workers === 1) return await runProcess(() => load(1));
    await supervise({
      frame: frameOf(names[0] ?? ""),
      workers,
      command: (worker) => ({ program, words: [workerArgument, String(worker)] }),
    });
  } catch (error) {
    report("gateway", error);
  }
}

/** Reads the variables that all services share. */
function frameOf(name: string): ServiceFrame {
  return readVariables(serviceVariables(name, () => ({})).declare).frame;
}
