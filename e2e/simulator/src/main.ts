import { runService } from "@modelgate/platform";
import { variables } from "./env.ts";
import { createSimulator } from "./simulator.ts";

await runService(variables, async () => {
  const simulator = createSimulator();
  return { handler: simulator, upgrade: simulator.upgrade, [Symbol.asyncDispose]: () => Promise.resolve() };
});
