import { Type, type Static } from "typebox";
import { Tags } from "./tags.ts";

const amount = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{1,19}$", description }));

/**
 * Maximum spending in nano-dollars, in addition to the account's balance: of one API key, of one key together with
 * those that members of the account created within its limits, and of all keys of an account in one group. Days and
 * months are in UTC. A budget counts from the moment it is set.
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
 * The caller that the edge authenticated. It is sent to the services in the signed header `x-modelgate-caller`, and
 * contains neither a key nor a secret.
 */
export const Caller = Type.Object(
  {
    accountId: Type.String(),
    tokenId: Type.String(),
    group: Type.String(),
    /** Models of the group that the API key is restricted to; absent: all of the group. */
    models: Type.Optional(Type.Array(Type.String())),
    requestId: Type.String(),
    /** Limit that the call's tokens count against; absent: unlimited. */
    tokensPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Id of the limits per minute that the API key shares with others; absent: it has separate ones. */
    limitsId: Type.Optional(Type.String()),
    /** Budgets of the API key and of its group; absent: none. */
    budgets: Type.Optional(Budgets),
    /**
     * Format of model lists and of their errors, selected by the client's headers: `alpha` for Anthropic clients,
     * `gamma` for Gemini clients. Such requests end at the edge.
     */
    format: Type.Optional(Type.Enum(["common", "alpha", "gamma"])),
    /** Id of the session settings that the key is bound to; such a key opens sessions only. */
    settingsId: Type.Optional(Type.String()),
    /** Tags from the client's header, for the usage event. */
    tags: Type.Optional(Tags),
    /** Unix seconds at which the signature expires. */
    expiresAt: Type.Integer(),
  },
  { $id: "Caller", additionalProperties: false },
);
export type Caller = Static<typeof Caller>;
