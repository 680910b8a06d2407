import { describeVariables, type VariableReader } from "@modelgate/platform";
import { serviceNames } from "./services.ts";

/** Maximum number of processes that share a port. */
const maxWorkers = 256;

/** Declares the variables of the program, which it reads before it loads services. */
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

export const variables = { name: "gateway", describe: () => describeVariables(declareVariables) };
