import { Type } from "typebox";
import * as shape from "../shapes.ts";
import { filterParameters, periodParameters, text, type Operation } from "../operation.ts";

/** Operations about the cost of calls. */
export const callOperations: Readonly<Record<string, Operation>> = {
  "GET /usage": {
    summary: "Sum usage and cost by dimensions.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      ...filterParameters,
      by: "dimensions, as in model,day or tag:team",
      sums: "sums to include, as in calls,costNanos; all where absent",
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
      limit: "rows per page, at most 1000",
      after: "`next` value of the previous page",
    },
    answer: shape.CallPage,
  },
  "GET /usage/refused": {
    summary:
      "List calls that were refused before they cost anything, newest first; stored for a week, as a sample if there are many.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      ...periodParameters,
      account: "an account",
      token: "a token",
      model: "the requested model",
      status: "an HTTP status",
      "request-id": "the request's id",
      limit: "rows per page, at most 1000",
      after: "`next` value of the previous page",
    },
    answer: shape.RefusedPage,
  },
  "GET /usage/export": {
    summary: "Export the log of settled calls, oldest first, or the charges by day in the format FOCUS 1.2.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...periodParameters, ...filterParameters, format: "csv, ndjson or focus" },
    answer: "text/csv",
  },
  "GET /usage/forecast": {
    summary: "Estimate the spend of a period: what was spent, and the mean of the last seven days for the rest.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...periodParameters, ...filterParameters },
    answer: Type.Object({ from: text, to: text, spentNanos: text, forecastNanos: text }),
  },
  "GET /usage/chargeback": {
    summary: "Export the cost of a period by account, key or tag.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: { ...periodParameters, ...filterParameters, by: "dimensions, as in tag:team; account where absent" },
    answer: "text/csv",
  },
  "GET /usage/first-bytes": {
    summary: "Show the time to the first byte of completed calls: p50 and p95, accurate to 5 %.",
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
    summary: "List video tasks, most recently changed first.",
    area: "calls",
    role: "viewer",
    member: "query",
    query: {
      account: "an account",
      model: "a model",
      channel: "a channel",
      state: "queued, in_progress, completed or failed",
      limit: "rows per page, at most 1000",
      after: "`next` value of the previous page",
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
