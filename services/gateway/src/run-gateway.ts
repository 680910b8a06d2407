import { readVariables, runWorkers, type AdjustEnv } from "@modelgate/platform";
import { declare } from "./env.ts";
import { singletons, loadServices } from "./services.ts";

/**
 * Runs the services that MODELGATE_SERVICES names, as `program`, which workers run again. `adjust` changes the values that
 * services are opened with: the program of tests (`libs/testkit/src/limits`) makes constants small with it.
 */
export async function runGateway(program: string, adjust?: AdjustEnv): Promise<void> {
  await runWorkers({
    program,
    plan() {
      const { services, workers } = readVariables(declare);
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
