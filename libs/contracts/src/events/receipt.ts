import { Type, type Static } from "typebox";

/**
 * Record of one change of an account's balance. It contains the hash of the receipt before it, so that lost and altered
 * receipts are noticed.
 */
export const Receipt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "1, 2, 3 … within the account" }),
    previous: Type.String({ description: "hash of the previous receipt. It is empty for the first receipt" }),
    balanceNanos: Type.String({
      pattern: "^-?\\d+$",
      description: "balance of the account after the entry, in nano-dollars",
    }),
    hash: Type.String({
      description: "SHA-1, hex, of previous, number, amount, balance and the entry's JSON, joined by line feeds",
    }),
    replaces: Type.Optional(
      Type.String({
        description:
          "hash of the entry's earlier receipt, which Redis has lost. The entry was then applied again, with this receipt",
      }),
    ),
  },
  { $id: "Receipt", additionalProperties: false },
);
export type Receipt = Static<typeof Receipt>;

/** Reason why an operator changed a balance. */
export const CreditKind = Type.Union([Type.Literal("opening"), Type.Literal("top-up"), Type.Literal("correction")]);
export type CreditKind = Static<typeof CreditKind>;

/** Event that an operator changed a balance. Subject: `credit.v1.<kind>`. `id` is also the `Nats-Msg-Id`. */
export const CreditEvent = Type.Object(
  {
    id: Type.String({ description: "account and operation" }),
    time: Type.String({ description: "RFC 3339" }),
    accountId: Type.String(),
    operationId: Type.String({
      description: "id of the operation. A second operation with the same id changes nothing",
    }),
    kind: CreditKind,
    nanos: Type.String({
      pattern: "^-?\\d+$",
      description: "nano-dollars as a decimal integer. It is negative if money was taken",
    }),
    reason: Type.String(),
    receipt: Type.Optional(Receipt),
  },
  { $id: "CreditEvent" },
);
export type CreditEvent = Static<typeof CreditEvent>;
