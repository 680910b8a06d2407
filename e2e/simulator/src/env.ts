import { serviceVariables } from "@modelgate/platform";

/** Environment variables of the simulator. The drain is short, because there is nothing to save. */
export const variables = serviceVariables("simulator", () => ({}), { maxDrainMs: 1_000 });
