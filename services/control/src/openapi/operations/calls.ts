import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { filterParameters, periodParameters, type Operation } from "../operation.ts";

/** Operations about the cost of calls. */
export const callOperations: Readonly<Record<string, Operation>> = {
  "GET /usage": {
    summary: "Sum usage and cost by any of their dimensions.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      ...filterParameters,
      by: "dimensions, as in model,day or tag:team",
      sums: "which sums, as in calls,costNanos; all where absent",
    },
    answer: Type.Array(shape.Total),
  },
  "GET /usage/events": {
    summary: "Read the log of settled calls, newest first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      ...filterParameters,
      limit: "rows of a page, at most 1000",
      after: "`next` of the page before",
    },
    answer: shape.CallPage,
  },
  "GET /usage/refused": {
    summary: "List calls that were refused before they cost anything, newest first; kept for a week, of many a sample.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      account: "an account",
      token: "a token",
      model: "a model that was named",
      status: "an HTTP status",
      "request-id": "the request's id",
      limit: "rows of a page, at most 1000",
      after: "`next` of the page before",
    },
    answer: shape.RefusedPage,
  },
  "GET /usage/export": {
    summary: "Export the log of settled calls, oldest first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...periodParameters, ...filterParameters, format: "csv or ndjson" },
    answer: "text/csv",
  },
  "GET /usage/first-bytes": {
    summary: "Read within what time half and 95 % of the completed calls had their first byte, within 5 %.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      account: "an account",
      model: "a model",
      channel: "a channel",
      by: "model, channel, day or hour; or a tag, as in tag:team, alone or with day. Whole hours are read, by a tag whole days",
    },
    answer: Type.Array(shape.FirstByteGroup),
  },
  "GET /tasks": {
    summary: "List video tasks, those that changed last first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      account: "an account",
      model: "a model",
      channel: "a channel",
      state: "queued, in_progress, completed or failed",
      limit: "rows of a page, at most 1000",
      after: "`next` of the page before",
    },
    answer: shape.TaskPage,
  },
  "POST /bill": {
    summary: "Show the terms of a settled call's cost.",
    area: "calls",
    role: "viewer",
    member: "all",
    body: shape.Call,
    answer: shape.Bill,
  },
  "GET /prices/{version}": {
    summary: "Show the price of a version that calls name.",
    area: "calls",
    role: "viewer",
    member: "all",
    answer: shape.Price,
  },
};
