import type { OperatorRole } from "@modelgate/platform";
import { Type, type TSchema } from "typebox";

/** One operation of control's API. Its description, guard and console client are generated from this row. */
export interface Operation {
  readonly summary: string;
  readonly area: "accounts" | "calls" | "channels" | "configuration" | "operators" | "session" | "system";
  /** Minimum role; `visitor`: not signed in. */
  readonly role: OperatorRole | "visitor";
  /**
   * Method that limits a member to their account: by the account in the path, in the query, or by the handler; `all`:
   * the operation concerns no account. Absent: members may not call it.
   */
  readonly member?: "path" | "query" | "handler" | "all";
  /** Query parameters and their descriptions. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: TSchema;
  /** Schema of the answer's `data`, or a content type other than JSON. */
  readonly answer: TSchema | "text/csv";
}

/** Schemas that several operations use. */
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
