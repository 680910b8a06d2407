import { Type, type Static } from "typebox";
import { Tags } from "./tags.ts";

const optionalCount = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));
const optionalNanos = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{1,19}$", description }));

/**
 * Budgets in the signed caller: maximum spending in nano-dollars per day and month (UTC), in addition to the limit by
 * the account's balance, and maximum requests per day. `token…` limits one API key. `within…` limits the key `within`
 * together with all keys that share its budget. `group…` limits all keys of the account in one group. Use is counted
 * from the moment at which a budget is set. The account's list of budgets (by team, model, tag and so on; `Budget` in
 * libs/accounts) is not in the caller: it is applied when money is held.
 */
export const Budgets = Type.Object(
  {
    tokenPerDay: optionalNanos("by the token, a day"),
    tokenPerMonth: optionalNanos("by the token, a month"),
    tokenRequestsPerDay: optionalCount("requests with the token, a day"),
    within: Type.Optional(Type.String({ description: "the token of an operator whose budget this one shares" })),
    withinPerDay: optionalNanos("by that token and all that share its budget, a day"),
    withinPerMonth: optionalNanos("by that token and all that share its budget, a month"),
    withinRequestsPerDay: optionalCount("requests with that token and all that share its budget, a day"),
    groupPerDay: optionalNanos("by the account's tokens of the group, a day"),
    groupPerMonth: optionalNanos("by the account's tokens of the group, a month"),
  },
  { $id: "Budgets", additionalProperties: false },
);
export type Budgets = Static<typeof Budgets>;

/** Seconds for which a service accepts a signed caller. An edge sends it for at most ten seconds. */
export const callerSeconds = 60;

/**
 * The caller that the edge authenticated. The edge sends it to the services in the signed header `x-modelgate-caller`.
 * It contains no API key and no secret.
 */
export const Caller = Type.Object(
  {
    accountId: Type.String(),
    tokenId: Type.String(),
    group: Type.String(),
    /** Models of the group to which the API key is restricted; absent: all models of the group. */
    models: Type.Optional(Type.Array(Type.String())),
    /** Unused. The edge sends "", because services of earlier versions require it. */
    requestId: Type.Optional(Type.String()),
    /** Limit of tokens per minute that this call's tokens count against; absent: unlimited. */
    tokensPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Id under which the API key shares its limits per minute with other keys; absent: the key has separate limits. */
    limitsId: Type.Optional(Type.String()),
    /** Team of the API key; absent: none. */
    team: Type.Optional(Type.String()),
    /** Member of the account or of the team that created the API key: `NAME` or `TEAM/NAME`; absent: an operator. */
    member: Type.Optional(Type.String()),
    /** Budgets of the API key and its group; absent: none. */
    budgets: Type.Optional(Budgets),
    /**
     * Format of model lists and their errors, which the client's headers select: `alpha` for Anthropic clients, `gamma`
     * for Gemini clients. The edge sets it, because services do not get all of these headers: the edge removes those
     * with keys. Absent for other endpoints.
     */
    format: Type.Optional(Type.Enum(["common", "alpha", "gamma"])),
    /** Id of the session settings to which the API key is bound. Such a key can only open sessions. */
    settingsId: Type.Optional(Type.String()),
    /** Time (RFC 3339) at which a client secret was created; absent for an API key. */
    secretCreatedAt: Type.Optional(Type.String()),
    /**
     * IP address of the client; "" if it is unknown. Set for an API key with a list of allowed addresses, and for a
     * client secret, which has the current list of the key that created it.
     */
    clientAddress: Type.Optional(Type.String()),
    /** Tags from the client's `x-modelgate-tags` header, for the usage event. */
    tags: Type.Optional(Tags),
    /** Time (RFC 3339) at which the API key ends because a rotation has replaced it; absent: it was not replaced. */
    keyExpiresAt: Type.Optional(Type.String()),
    /** Unix time in seconds at which the signature expires: `callerSeconds` after it was made. */
    expiresAt: Type.Integer(),
  },
  { $id: "Caller", additionalProperties: false },
);
export type Caller = Static<typeof Caller>;
