// The gateway is imported by its path, because this package may not depend on the gateway.
// oxlint-disable-next-line no-restricted-imports
import { runGateway } from "../../../../services/gateway/src/run-gateway.ts";
import { adjustEnv, limitsVariable, type Limits } from "./limits.ts";

const limits: Limits = JSON.parse(process.env[limitsVariable] ?? "{}");
await runGateway(import.meta.filename, (service, env) => adjustEnv(service, env, limits));
