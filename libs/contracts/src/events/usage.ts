import { Type, type Static } from "typebox";
import { Receipt } from "./receipt.ts";
import { recordParser } from "../stored.ts";
import { Tags } from "../tags.ts";
import { unitNames, Units } from "../units.ts";

/** Maximum characters of a vendor's message in a usage event. */
export const maxVendorMessage = 300;

/** Maximum number of names in `added` of an attempt, and maximum characters of each. */
export const [maxAdded, maxAddedCharacters] = [32, 100];

/** One attempt to call a vendor, in a usage event. */
export const CallAttempt = Type.Object({
  channel: Type.String(),
  key: Type.String({ description: "the key's name, never the key" }),
  ms: Type.Integer({ minimum: 0, description: "time in ms until the answer began or the attempt failed" }),
  status: Type.Optional(
    Type.Integer({ description: "HTTP status of the vendor's answer. It is absent if the vendor did not answer" }),
  ),
  failed: Type.Optional(Type.String({ description: "code of the failure. It is absent if the attempt succeeded" })),
  vendorCode: Type.Optional(Type.String({ description: "error code of the vendor" })),
  vendorMessage: Type.Optional(
    Type.String({
      maxLength: maxVendorMessage,
      description: "error message of the vendor or the connection. Members of accounts do not see it",
    }),
  ),
  added: Type.Optional(
    Type.Array(Type.String({ maxLength: maxAddedCharacters }), {
      maxItems: maxAdded,
      description:
        "names of the channel's headers and body members in the request, as in `headers.x-tenant`, `defaults.user` or " +
        "`force.store`; not shown to members of accounts",
    }),
  ),
});
export type CallAttempt = Static<typeof CallAttempt>;

/** Some vendors accept names of up to 64 characters, others of up to 256. */
const maxEndUserCharacters = 256;

/** Returns the name of an end user for a usage event, shortened and without control characters. */
export function endUserOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value
    .slice(0, maxEndUserCharacters)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return name === "" ? undefined : name;
}

export const CallStatus = Type.Union([Type.Literal("completed"), Type.Literal("cancelled"), Type.Literal("failed")]);
export type CallStatus = Static<typeof CallStatus>;

/** Maximum number of dropped request fields in a usage event, and maximum characters of each. */
export const [maxDropped, maxDroppedCharacters] = [32, 100];

/** Maximum characters of a vendor's name of a model in a usage event. */
export const maxModelCharacters = 256;

/** Maximum number of attempts that `tries` of a usage event lists. `attempts` is the number of all attempts. */
export const maxTries = 100;

/** Event of one billed call. Subject: `usage.v1.<area>`. `id` is the call's id and the `Nats-Msg-Id`. */
export const UsageEvent = Type.Object(
  {
    id: Type.String(),
    time: Type.String({ description: "RFC 3339" }),
    requestId: Type.String(),
    accountId: Type.String(),
    tokenId: Type.String(),
    group: Type.String(),
    team: Type.Optional(Type.String({ description: "team of the key. It is absent if the key has no team" })),
    member: Type.Optional(
      Type.String({
        description: "member that created the key, as NAME or TEAM/NAME. It is absent if an operator created the key",
      }),
    ),
    area: Type.String(),
    endpoint: Type.String({ description: "method and path pattern" }),
    model: Type.String({ description: "model that served the call, and whose price applies" }),
    requestedModel: Type.Optional(
      Type.String({
        description: "model that the client named, if another model served the call as a fallback or a share",
      }),
    ),
    upstreamModel: Type.String(),
    channelId: Type.String(),
    status: Type.Integer({ description: "HTTP status that the client got" }),
    outcome: CallStatus,
    units: Units,
    estimated: Type.Boolean({ description: "true if the vendor reported no usage" }),
    multiplier: Type.Number(),
    costNanos: Type.String({ pattern: "^\\d+$", description: "nano-dollars as a decimal integer" }),
    latencyMs: Type.Integer({ minimum: 0 }),
    firstByteMs: Type.Integer({ minimum: 0 }),
    attempts: Type.Integer({ minimum: 0 }),
    tries: Type.Optional(
      Type.Array(CallAttempt, { maxItems: maxTries, description: "the first attempts to call a vendor, in order" }),
    ),
    dropped: Type.Optional(
      Type.Array(Type.String({ maxLength: maxDroppedCharacters }), {
        maxItems: maxDropped,
        description:
          "request fields that were dropped, because the vendor does not support them. Only the first ones are listed",
      }),
    ),
    heldNanos: Type.Optional(
      Type.String({ pattern: "^\\d+$", description: "total amount that was reserved for the call, in nano-dollars" }),
    ),
    priceVersion: Type.Optional(Type.String({ description: "version of the model's price at the time of the call" })),
    unpriced: Type.Optional(
      Type.Array(Type.Enum([...unitNames, "serviceTier"]), {
        description:
          "units without a price, which cost nothing, or a service tier without one, which costs the usual price",
      }),
    ),
    capped: Type.Optional(
      Type.Array(Type.Enum([...unitNames]), {
        description:
          "units for which the vendor reported or sent more than the call could use, or an invalid amount. " +
          "`units` has the billed amounts",
      }),
    ),
    serviceTier: Type.Optional(
      Type.String({ maxLength: 64, description: "vendor's service tier, if it is not the usual one" }),
    ),
    otherModels: Type.Optional(
      Type.Array(
        Type.Object({
          model: Type.String({ maxLength: maxModelCharacters, description: "vendor's name of the model" }),
          units: Units,
          priceVersion: Type.String(),
        }),
        {
          description:
            "other models of the vendor that worked on the call; `costNanos` includes their units, at their prices, " +
            "and `units` does not",
        },
      ),
    ),
    tags: Type.Optional(Tags),
    endUser: Type.Optional(
      Type.String({
        maxLength: maxEndUserCharacters,
        description: "the end user that the request names: `safety_identifier`, `user` or `metadata.user_id`",
      }),
    ),
    upstreamRequestId: Type.Optional(
      Type.String({ maxLength: 128, description: "vendor's id of the call, if it has one" }),
    ),
    receipt: Type.Optional(Receipt),
  },
  { $id: "UsageEvent" },
);
export type UsageEvent = Static<typeof UsageEvent>;

/**
 * Parses a stored usage event. Throws UnknownShape. Members of earlier versions stay as they are, because the hash of the
 * receipt covers them.
 */
export const readUsageEvent: (text: string) => UsageEvent = recordParser("usage event", UsageEvent);

/** A usage event before the settlement script adds the cost and the receipt. */
export const UsageDraft = Type.Omit(UsageEvent, ["costNanos", "receipt"]);
export type UsageDraft = Omit<UsageEvent, "costNanos" | "receipt">;
