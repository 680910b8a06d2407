import { Type, type Static } from "typebox";

/**
 * Position of a change of money in its account's chain. Every settlement and every credit has a receipt, written in the
 * same step as the change. It contains the hash of the previous receipt, so that a lost or altered one is detected.
 */
export const Receipt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "1, 2, 3 … within the account" }),
    previous: Type.String({ description: "hash of the receipt before; empty for the first" }),
    balanceNanos: Type.String({ pattern: "^-?\\d+$", description: "the account's balance after it, nano-dollars" }),
    hash: Type.String({
      description: "SHA-1, hex, of previous, number, amount, balance and the entry's JSON, joined by line feeds",
    }),
    replaces: Type.Optional(
      Type.String({
        description:
          "hash of the receipt that the same entry had in a Redis that was lost: it was charged once more there",
      }),
    ),
  },
  { $id: "Receipt", additionalProperties: false },
);
export type Receipt = Static<typeof Receipt>;

/** Reason of an operator's change of a balance. */
export const CreditKind = Type.Union([Type.Literal("opening"), Type.Literal("top-up"), Type.Literal("correction")]);
export type CreditKind = Static<typeof CreditKind>;

/**
 * Event of an operator's change of a balance, with the subject `credit.v1.<kind>`; `id` is the message's `Nats-Msg-Id`.
 */
export const CreditEvent = Type.Object(
  {
    id: Type.String({ description: "account and operation" }),
    time: Type.String({ description: "RFC 3339" }),
    accountId: Type.String(),
    operationId: Type.String({ description: "repeating an operation changes nothing" }),
    kind: CreditKind,
    nanos: Type.String({ pattern: "^-?\\d+$", description: "nano-dollars, decimal; below zero where money was taken" }),
    reason: Type.String(),
    receipt: Type.Optional(Receipt),
  },
  { $id: "CreditEvent" },
);
export type CreditEvent = Static<typeof CreditEvent>;
