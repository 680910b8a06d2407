import { readVariables, runWorkers, type AdjustEnv } from "@modelgate/platform";
import { declareVariables } from "./env.ts";
import { singletons, loadServices } from "./services.ts";

/**
 * Runs the services that MODELGATE_SERVICES names. `program` is the file that worker processes run. Tests lower limits
 * with `adjust` (`libs/testkit/src/limits`).
 */
export async function runGateway(program: string, adjust?: AdjustEnv): Promise<void> {
  await runWorkers({
    program,
    plan() {
      const { services, workers } = readVariables(declareVariables);
      return {
        workers,
        names: services,
        load: (worker) =>
          loadServices(
            services.filter((name) => worker === 1 || !singletons.has(name)),
            adjust,
          ),
      };
    },
  });
}
