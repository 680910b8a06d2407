import { Type, type Static } from "typebox";

/**
 * Kinds of alerts:
 * - `budget`: 50, 80 or 100 % of a budget are spent, or it refused a call
 * - `balance-low`: at the present rate of spending, an account's balance lasts less than LOW_BALANCE_HOURS
 * - `key-refused`: a vendor refuses a key of a channel
 * - `channel-cooldown`: a channel, one of its keys or models is in cooldown after failures, or had many short cooldowns
 * - `channel-recovered`: a part of a channel works again after a cooldown or a refusal
 * - `unpriced-use`: a call used a unit without a price
 * - `ledger-divergence`: an account's balance differs from its receipts, or the audit log or the prices were altered
 * - `key-expiring`: an API key is about to expire
 * - `key-rotation-due`: an API key must be rotated, because its `rotateAfterDays` have passed
 * - `certificate-expiring`: a certificate of a store or of a channel is about to expire
 */
export const alertKinds = [
  "budget",
  "balance-low",
  "key-refused",
  "channel-cooldown",
  "channel-recovered",
  "unpriced-use",
  "ledger-divergence",
  "key-expiring",
  "key-rotation-due",
  "certificate-expiring",
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Severities of alerts, mildest first, with the names of PagerDuty. */
export const alertSeverities = ["info", "warning", "error", "critical"] as const;

/** An alert. At most one is created for each kind, account, subject and period. */
export const Alert = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...alertKinds, "test"]),
  severity: Type.Enum([...alertSeverities]),
  /** Account or organisation (`organisation:ID`) that the alert is about; "" if it is about the gateway. */
  account: Type.String(),
  /** Part that the alert is about, such as the id of a budget or the name of a channel. */
  subject: Type.String(),
  period: Type.String(),
  summary: Type.String(),
  /** RFC 3339. */
  time: Type.String(),
  /** Values that the summary is made of. They contain no secrets. */
  details: Type.Record(Type.String(), Type.String()),
});
export type Alert = Static<typeof Alert>;

export const alertTargetKinds = ["webhook", "slack", "teams", "feishu", "pagerduty", "email"] as const;
export type AlertTargetKind = (typeof alertTargetKinds)[number];

/** A target of alerts, as operators see it. */
export const AlertTarget = Type.Object({
  id: Type.String(),
  /** Account whose alerts the target receives; "" for all alerts. */
  account: Type.String(),
  kind: Type.Enum([...alertTargetKinds]),
  name: Type.String(),
  /** Kinds of alerts that the target receives. The default is all kinds. */
  alerts: Type.Optional(Type.Array(Type.Enum([...alertKinds]))),
  /** Host of the target's address, or its e-mail addresses. The complete address may be a secret. */
  address: Type.String(),
  /** True if a member of the account added the target. It gets no alerts that name other accounts' spending. */
  addedByMember: Type.Optional(Type.Boolean()),
  createdAt: Type.String(),
});
export type AlertTarget = Static<typeof AlertTarget>;

/** Secret part of a target, encrypted in the books. */
export const AlertTargetSecret = Type.Object({
  /** Address of a webhook or of an SMTP server. */
  url: Type.String(),
  /** Key that signs the body (webhook, Feishu), or routing key (PagerDuty). */
  secret: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
});
export type AlertTargetSecret = Static<typeof AlertTargetSecret>;

/**
 * Name of the purpose for which the encryption key of targets is derived from the secret. Other purposes have other
 * keys.
 */
export const alertTargetPurpose = "modelgate alert targets";

/** `dead` means that the delivery was given up after a day. */
export const deliveryStates = ["pending", "delivered", "dead"] as const;

export const AlertDelivery = Type.Object({
  target: Type.String(),
  name: Type.String(),
  state: Type.Enum([...deliveryStates]),
  tries: Type.Integer(),
  /** Time of the next attempt (RFC 3339), or null. */
  nextAt: Type.Union([Type.String(), Type.Null()]),
  /** Reason for the last failure, without the target's address. */
  error: Type.String(),
});
export type AlertDelivery = Static<typeof AlertDelivery>;
