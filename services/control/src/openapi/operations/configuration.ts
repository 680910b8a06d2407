import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { optionalName, emptyObject, text, type Operation } from "../operation.ts";

const settings = {
  note: optionalName,
  basedOn: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  check: Type.Optional(Type.Boolean()),
};

/** Operations on the configuration, and on vendors that can be added to it. */
export const configurationOperations: Readonly<Record<string, Operation>> = {
  "GET /config": {
    summary: "Show which configuration is in force.",
    area: "configuration",
    role: "viewer",
    member: "all",
    answer: shape.ConfigurationStatus,
  },
  "GET /configuration": {
    summary: "Show the configuration as YAML, without secrets.",
    area: "configuration",
    role: "viewer",
    answer: shape.ConfigurationDocument,
  },
  "GET /configuration/parts": {
    summary: "Show the groups, models and channels as written, without secrets.",
    area: "configuration",
    role: "viewer",
    answer: shape.ConfigurationParts,
  },
  "POST /configuration": {
    summary: "Check a configuration and save it as a new version.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ document: text, ...settings }),
    answer: shape.ConfigurationChange,
  },
  "POST /configuration/edits": {
    summary: "Change groups, models or channels; null removes one, and a key written as (hidden) stays.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ edits: Type.Array(shape.Edit), ...settings }),
    answer: shape.ConfigurationChange,
  },
  "GET /configuration/versions": {
    summary: "List versions of the configuration, newest first.",
    area: "configuration",
    role: "viewer",
    answer: Type.Array(shape.ConfigurationVersion),
  },
  "GET /configuration/versions/{version}": {
    summary: "Show a version, its changes, and the changes of restoring it.",
    area: "configuration",
    role: "viewer",
    answer: shape.ConfigurationVersionWithDifference,
  },
  "POST /configuration/versions/{version}/restore": {
    summary: "Save an earlier version as the newest one.",
    area: "configuration",
    role: "admin",
    body: emptyObject,
    answer: shape.ConfigurationChange,
  },
  "GET /vendors": {
    summary: "List the vendors that channels can use.",
    area: "configuration",
    role: "viewer",
    answer: Type.Array(shape.Vendor),
  },
  "POST /vendors/models": {
    summary: "Ask a vendor for its list of models.",
    area: "configuration",
    role: "admin",
    body: Type.Object({ provider: text, baseUrl: text, key: text }),
    answer: shape.VendorModels,
  },
};
