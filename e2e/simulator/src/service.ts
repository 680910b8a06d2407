import { defineService } from "@modelgate/platform";
import { variables } from "./env.ts";
import { createSimulator } from "./simulator.ts";

/** Service of all simulated vendors. */
export const service = defineService("backend", variables, async () => {
  const simulator = createSimulator();
  return { serves: { handler: simulator, upgrade: simulator.upgrade } };
});
