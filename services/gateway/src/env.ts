import { describeVariables, type VariableReader } from "@modelgate/platform";
import { serviceNames } from "./services.ts";

/** Maximum processes that share a port: more than most machines have cores. */
const maxWorkers = 256;

/** Declares the variables that the program reads before it loads a service. Each service declares further ones. */
export function declareVariables(read: VariableReader) {
  return {
    services: read.choices(
      "MODELGATE_SERVICES",
      serviceNames,
      "Services that this process runs, separated by commas. If unset, it runs all services.",
    ),
    workers: read.integer(
      "WORKERS",
      1,
      "Number of processes that run these services and share their ports. `ledger` and `control` run only in the first process.",
      { min: 1, max: maxWorkers },
    ),
  };
}

/** Description of these variables, in the form in which each service describes its variables. */
export const variables = { name: "gateway", describe: () => describeVariables(declareVariables) };
