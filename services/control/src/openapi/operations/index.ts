import * as shape from "../shapes.ts";
import type { Operation } from "../operation.ts";
import { accountOperations } from "./accounts.ts";
import { alertOperations } from "./alerts.ts";
import { callOperations } from "./calls.ts";
import { channelOperations } from "./channels.ts";
import { configurationOperations } from "./configuration.ts";
import { operatorOperations } from "./operators.ts";
import { organisationOperations } from "./organisations.ts";
import { sessionOperations } from "./session.ts";

/** Operations about the running system and about the API itself. */
export const systemOperations: Readonly<Record<string, Operation>> = {
  "GET /system": {
    summary: "Show running processes, the state of the stores, and the delay of the books.",
    area: "system",
    role: "viewer",
    answer: shape.System,
  },
  "GET /openapi.json": {
    summary: "Describe this API, as OpenAPI 3.1.",
    area: "system",
    role: "viewer",
    member: "all",
    answer: "application/json",
  },
};

/** All operations of control's API, by method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  ...sessionOperations,
  ...accountOperations,
  ...alertOperations,
  ...callOperations,
  ...channelOperations,
  ...configurationOperations,
  ...operatorOperations,
  ...organisationOperations,
  ...systemOperations,
};
