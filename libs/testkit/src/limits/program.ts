import { join } from "node:path";
import { adjustEnv, limitsVariable, type Limits } from "./limits.ts";

/** `runGateway` of the gateway, as this program calls it. */
type RunGateway = (program: string, adjust: <Env>(service: string, env: Env) => Env) => Promise<void>;

/**
 * Runs the gateway's services, as its own program does, with the limits that a test gave. It is loaded by its path, as
 * programs are started: the gateway is above this package.
 */
const { runGateway }: { readonly runGateway: RunGateway } = await import(
  join(import.meta.dirname, "../../../../services/gateway/src/run-gateway.ts")
);
// oxlint-disable-next-line no-restricted-properties
const limits: Limits = JSON.parse(process.env[limitsVariable] ?? "{}");
await runGateway(import.meta.filename, (service, env) => adjustEnv(service, env, limits));
