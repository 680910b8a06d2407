import type { CommonEnv } from "../service-variables.ts";
import { serviceVariables } from "../service-variables.ts";
import { readVariables } from "../variables.ts";
import { reportFailure, runProcess } from "./run-process.ts";
import type { Service } from "./service.ts";
import { supervise } from "./supervise.ts";

/** Services of a program, and the number of processes that run them. */
export interface WorkerPlan {
  readonly workers: number;
  /** Names of the services. The variables of the first one set the port for health checks. */
  readonly names: readonly string[];
  /** Loads the services of one worker. Workers are numbered from 1. */
  readonly load: (worker: number) => Promise<readonly Service[]>;
}

const workerArgument = "worker";

/**
 * Runs a program's services in this process, or in several worker processes that share their ports. With several
 * workers, this process only restarts dead ones, and serves the health checks and metrics. A worker runs the same
 * program with the arguments `worker N`.
 */
export async function runWorkers({ program, plan }: { program: string; plan: () => WorkerPlan }): Promise<void> {
  const [, , argument, number] = process.argv;
  if (argument === workerArgument) return runProcess(() => plan().load(Number(number)), Number(number));
  try {
    const { workers, names, load } = plan();
    if (workers === 1) return await runProcess(() => load(1));
    await supervise({
      common: readCommon(names[0] ?? ""),
      workers,
      command: (worker) => ({ program, args: [workerArgument, String(worker)] }),
    });
  } catch (error) {
    reportFailure("gateway", error);
  }
}

function readCommon(name: string): CommonEnv {
  return readVariables(serviceVariables(name, () => ({})).declare).common;
}
