import { serviceVariables } from "@modelgate/platform";

/** Every variable that the simulator reads: what all services do. It keeps nothing that a drain could save. */
export const variables = serviceVariables("simulator", () => ({}), { maxDrainMs: 1_000 });
