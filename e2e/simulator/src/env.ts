import { serviceVariables } from "@modelgate/platform";

/**
 * Environment variables of the simulator: those of every service. Its drain is short, because it keeps nothing to save.
 */
export const variables = serviceVariables("simulator", () => ({}), { maxDrainMs: 1_000 });
