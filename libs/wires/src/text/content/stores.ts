import type { StoreDialect } from "../../vendor-stores/members.ts";

/** Requests for generated content: which of their members are the client's own JSON. */
export const stores: StoreDialect = {
  opaque: [
    "args",
    "response",
    "parameters",
    "parameters_json_schema",
    "response_schema",
    "response_json_schema",
    "response_format",
    "labels",
  ],
};
