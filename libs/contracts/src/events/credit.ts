import { Type, type Static } from "typebox";
import { Receipt } from "./receipt.ts";

/** Why an account's balance was changed by its operator. */
export const CreditKind = Type.Union([Type.Literal("opening"), Type.Literal("top-up"), Type.Literal("correction")]);
export type CreditKind = Static<typeof CreditKind>;

/** A change of a balance by an operator, subject `credit.v1.<kind>`; `id` is the message's `Nats-Msg-Id`. */
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
