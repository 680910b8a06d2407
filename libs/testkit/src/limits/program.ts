import { join } from "node:path";
import { adjustEnv, limitsVariable, type Limits } from "./limits.ts";

/** Type of the gateway's `runGateway`. */
type RunGateway = (program: string, adjust: <Env>(service: string, env: Env) => Env) => Promise<void>;

/**
 * Runs the gateway's services with the limits of a test. The gateway is imported by its path, because this package may
 * not depend on it.
 */
const { runGateway }: { readonly runGateway: RunGateway } = await import(
  join(import.meta.dirname, "../../../../services/gateway/src/run-gateway.ts")
);
// oxlint-disable-next-line no-restricted-properties
const limits: Limits = JSON.parse(process.env[limitsVariable] ?? "{}");
await runGateway(import.meta.filename, (service, env) => adjustEnv(service, env, limits));
