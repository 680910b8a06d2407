import { runService, serviceVariables } from "@modelgate/platform";
import { createSimulator } from "./simulator.ts";

await runService(
  "simulator",
  serviceVariables("SIMULATOR"),
  (env) => ({
    host: env.HOST,
    port: env.SIMULATOR_PORT,
    opsPort: env.SIMULATOR_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: Math.min(env.DRAIN_MS, 1_000),
  }),
  async () => {
    const simulator = createSimulator();
    return { handler: simulator, upgrade: simulator.upgrade, [Symbol.asyncDispose]: () => Promise.resolve() };
  },
);
