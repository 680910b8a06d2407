import type { OperatorRole } from "@modelgate/platform";
import { Type, type TSchema } from "typebox";

/** Operation of control's API. Its description, its guard and the console's client are generated from it. */
export interface Operation {
  readonly summary: string;
  readonly area:
    | "accounts"
    | "alerts"
    | "organisations"
    | "calls"
    | "channels"
    | "configuration"
    | "operators"
    | "session"
    | "system";
  /** Minimum role; `visitor` means not signed in. */
  readonly role: OperatorRole | "visitor";
  /**
   * Way to limit a member to the member's account; if absent, members may not call the operation.
   * - `path`: by the account in the path
   * - `query`: by the query
   * - `accounts`: by the query, which may name several accounts, separated by commas; an admin of an organisation need
   *   not name one
   * - `handler`: in the handler
   * - `organisation`: members may call the operation only if they belong to the organisation in the path
   * - `all`: not at all, because the operation concerns no account
   */
  readonly member?: "path" | "query" | "accounts" | "handler" | "organisation" | "all";
  /**
   * True if the answer is limited to the caller's teams. If absent, people of teams may not call the operation, unless
   * it concerns no account.
   */
  readonly teams?: true;
  /** Descriptions of query parameters. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: TSchema;
  /** Schema of the answer's `data`, or the content type of an answer without `data`. */
  readonly answer: TSchema | "text/csv" | "application/json";
}

/** Schema of a text. */
export const text = Type.String();
export const optionalText = Type.Optional(text);
export const emptyObject = Type.Object({});
export const optionalName = Type.Optional(Type.Union([text, Type.Null()]));

export const periodParameters = {
  period: "this-month or last-month (UTC), in place of from and to",
  from: "first day or time, included (default: today, UTC)",
  to: "last day or time, included",
  day: "one day, in place of from and to",
};
export const filterParameters = {
  account: "an account",
  organisation: "an organisation",
  team: "teams, separated by commas; organisation or account is required with it",
  token: "a token's id",
  model: "a model",
  channel: "a channel",
  outcome: "completed, cancelled or failed",
  status: "an HTTP status",
  "request-id": "a request's id",
  "end-user": "an end user",
  tag: "tags, as in team=search",
};
