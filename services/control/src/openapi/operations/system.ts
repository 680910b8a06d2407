import { Type } from "typebox";
import type { Operation } from "../operation.ts";
import * as shape from "../shapes.ts";
import { text } from "./members.ts";

/** The API itself. */
export const system: Readonly<Record<string, Operation>> = {
  "GET /system": {
    summary: "Show which processes run, how the stores stand, and how far the books are behind.",
    area: "system",
    role: "viewer",
    answer: shape.System,
  },
  "GET /openapi.json": {
    summary: "Describe this API, as OpenAPI 3.1.",
    area: "system",
    role: "viewer",
    member: "all",
    answer: Type.Record(text, Type.Unknown()),
  },
};
