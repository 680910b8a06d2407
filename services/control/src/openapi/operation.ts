import type { OperatorRole } from "@modelgate/platform";
import type { TSchema } from "typebox";

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
