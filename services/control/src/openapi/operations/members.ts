import { Type } from "typebox";

/** Members that several operations have. */
export const text = Type.String();
export const optional = Type.Optional(text);
export const nothing = Type.Object({});
export const name = Type.Optional(Type.Union([text, Type.Null()]));

export const period = {
  from: "first day or time, included; today (UTC) where absent",
  to: "last day or time, included",
  day: "one day, in place of from and to",
};
export const narrowing = {
  account: "an account",
  token: "a token's id",
  model: "a model",
  channel: "a channel",
  outcome: "completed, cancelled or failed",
  status: "an HTTP status",
  "request-id": "a request's id",
  "end-user": "an end user",
  tag: "tags, as in team=search",
};
