import { Type, type Static } from "typebox";
import { Tags } from "./tags.ts";

const optionalCount = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));
const optionalNanos = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{1,19}$", description }));

/**
 * Budgets in the signed caller, in nano-dollars or requests per day and month (UTC). `token…` limits one API key,
 * `within…` an operator's key and all keys that share its budget, and `group…` the account's keys of one group. The
 * account's other budgets are applied when money is held.
 */
export const Budgets = Type.Object(
  {
    tokenPerDay: optionalNanos("nano-dollars that the token may spend in a day"),
    tokenPerMonth: optionalNanos("nano-dollars that the token may spend in a month"),
    tokenRequestsPerDay: optionalCount("requests that the token may send in a day"),
    within: Type.Optional(Type.String({ description: "the token of an operator whose budget this one shares" })),
    withinPerDay: optionalNanos(
      "nano-dollars that the token `within` and all that share its budget may spend in a day",
    ),
    withinPerMonth: optionalNanos(
      "nano-dollars that the token `within` and all that share its budget may spend in a month",
    ),
    withinRequestsPerDay: optionalCount(
      "requests that the token `within` and all that share its budget may send in a day",
    ),
    groupPerDay: optionalNanos("nano-dollars that the account's tokens of the group may spend in a day"),
    groupPerMonth: optionalNanos("nano-dollars that the account's tokens of the group may spend in a month"),
  },
  { $id: "Budgets" },
);
export type Budgets = Static<typeof Budgets>;

/** Seconds for which a service accepts a signed caller. An edge sends it for at most ten seconds. */
export const callerSeconds = 60;

/**
 * The caller that the edge authenticated, in the signed header `x-modelgate-caller`. It contains no secret.
 * Services ignore members that an edge of a later version adds. A new limit therefore applies only after all services
 * know it, which the changelog must mention.
 */
export const Caller = Type.Object(
  {
    accountId: Type.String(),
    tokenId: Type.String(),
    group: Type.String(),
    /** Models to which the API key is restricted. The default is all models of the group. */
    models: Type.Optional(Type.Array(Type.String())),
    /** Unused. Services of earlier versions require it. */
    requestId: Type.Optional(Type.String()),
    /** Maximum tokens per minute. The default is unlimited. */
    tokensPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Id under which the API key shares its limits per minute with other keys. */
    limitsId: Type.Optional(Type.String()),
    team: Type.Optional(Type.String()),
    /** Member who created the API key, `NAME` or `TEAM/NAME`; absent for an operator. */
    member: Type.Optional(Type.String()),
    budgets: Type.Optional(Budgets),
    /** Format of model lists and their errors. Only the edge can derive it, because it removes headers with keys. */
    format: Type.Optional(Type.Enum(["common", "alpha", "gamma"])),
    /** Id of the session settings to which the API key is bound. Such a key can only open sessions. */
    settingsId: Type.Optional(Type.String()),
    /** Time (RFC 3339) at which a client secret was created; absent for an API key. */
    secretCreatedAt: Type.Optional(Type.String()),
    /** IP address of the client; "" if it is unknown. Present for client secrets and for keys with an address list. */
    clientAddress: Type.Optional(Type.String()),
    /** Tags from the client's `x-modelgate-tags` header, for the usage event. */
    tags: Type.Optional(Tags),
    /** Time (RFC 3339) at which a rotation ends the API key. */
    keyExpiresAt: Type.Optional(Type.String()),
    /** Unix time in seconds. */
    expiresAt: Type.Integer(),
  },
  { $id: "Caller" },
);
export type Caller = Static<typeof Caller>;
