import { Type, type Static } from "typebox";
import { Tags } from "./tags.ts";

const amount = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{1,19}$", description }));

/**
 * Maximum spending in nano-dollars, in addition to the account's balance: of one token, of one token together with
 * those that members of the account made within its limits, and of all tokens of an account in one group. Days and
 * months are those of UTC. A budget counts from the moment it is set.
 */
export const Budgets = Type.Object(
  {
    tokenPerDay: amount("by the token, a day"),
    tokenPerMonth: amount("by the token, a month"),
    within: Type.Optional(Type.String({ description: "the token of an operator whose budget this one shares" })),
    withinPerDay: amount("by that token and all that share its budget, a day"),
    withinPerMonth: amount("by that token and all that share its budget, a month"),
    groupPerDay: amount("by the account's tokens of the group, a day"),
    groupPerMonth: amount("by the account's tokens of the group, a month"),
  },
  { $id: "Budgets", additionalProperties: false },
);
export type Budgets = Static<typeof Budgets>;

/**
 * The caller, as the edge identified it. It travels to the services in the signed header `x-modelgate-caller` and has
 * no key and no secret.
 */
export const Caller = Type.Object(
  {
    accountId: Type.String(),
    tokenId: Type.String(),
    group: Type.String(),
    /** The token's own narrowing of its group's models; absent: all of the group. */
    models: Type.Optional(Type.Array(Type.String())),
    requestId: Type.String(),
    /** The limit that the call's tokens are charged against; absent: none. */
    tokensPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The limits per minute that the token shares with other keys; absent: its own. */
    limitsId: Type.Optional(Type.String()),
    /** Budgets of the token and of its group; absent: none. */
    budgets: Type.Optional(Budgets),
    /** The family of model list, and of its errors, that the client's headers select; they stop at the edge. */
    format: Type.Optional(Type.Enum(["common", "alpha", "gamma"])),
    /** Settings of the sessions that the key is bound to; it does nothing else. */
    settingsId: Type.Optional(Type.String()),
    /** Tags from the client's header, for the books. */
    tags: Type.Optional(Tags),
    /** Unix seconds after which the signature no longer counts. */
    expiresAt: Type.Integer(),
  },
  { $id: "Caller", additionalProperties: false },
);
export type Caller = Static<typeof Caller>;
