import type { OperatorRole } from "@modelgate/platform";
import { Type, type TSchema } from "typebox";

/** One operation of control's API: what its description, its guard and the console's client are made of. */
export interface Operation {
  readonly summary: string;
  readonly area: "accounts" | "calls" | "channels" | "configuration" | "operators" | "session" | "system";
  /** The least role that it takes; `visitor`: not signed in yet. */
  readonly role: OperatorRole | "visitor";
  /**
   * Way to limit a member to their account: by the account in the path, in the query, or by the handler; `all`: the
   * operation concerns no account. Absent: members may not call it.
   */
  readonly member?: "path" | "query" | "handler" | "all";
  /** Query parameters and what each is. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: TSchema;
  /** The schema of `data` in its answer; a content type where it is no JSON. */
  readonly answer: TSchema | "text/csv";
}

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
