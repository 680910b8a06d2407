import { readVariables, runWorkers } from "@modelgate/platform";
import { declare } from "./env.ts";
import { keepers, loadServices } from "./services.ts";

await runWorkers({
  program: import.meta.filename,
  plan() {
    const { services, workers } = readVariables(declare);
    return {
      workers,
      names: services,
      load: (worker) => loadServices(services.filter((name) => worker === 1 || !keepers.has(name))),
    };
  },
});
