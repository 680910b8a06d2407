import type { BudgetUsage, Token } from "@modelgate/accounts";
import type { NewAlert } from "@modelgate/books";
import { shortCooldownMs, type Cooldown } from "@modelgate/channels";
import { formatUsd, organisationOfScope, type Alert, type Nanos, type UsageEvent } from "@modelgate/contracts";

/** Alert levels in percent of a budget, highest first. */
const budgetLevels = [100, 80, 50] as const;
/** Days before the expiry of a key or certificate at which an alert is stored. */
const expiryDays = { key: [1, 7], certificate: [3, 14] } as const;
/** Minimum age of a cooldown in ms for an alert. */
const cooldownAgeMs = 15_000;
/** Number of short cooldowns in an hour that make a channel unstable. */
const minShortCooldowns = 10;
/** Time in ms before the expiry of a key at which the first alert is stored. */
export const keyExpiryMs = 7 * 86_400_000;

const dayMs = 86_400_000;
const [dayLength, hourLength] = ["2026-11-26".length, "2026-11-26T10".length];

/** Returns the UTC day of a time. */
function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, dayLength);
}

/** Returns the highest alert level that an amount has reached, in percent. */
export function budgetLevel(spentNanos: Nanos, maxNanos: Nanos): number | undefined {
  if (maxNanos <= 0n) return undefined;
  return budgetLevels.find((level) => spentNanos * 100n >= maxNanos * BigInt(level));
}

/** Spending in one period of a budget. */
interface BudgetPeriodUse {
  readonly spentNanos: Nanos;
  /** True if the budget refused a call in the period. */
  readonly hasRefused: boolean;
  /** True if the period has ended. */
  readonly hasEnded?: boolean;
}

/**
 * Returns the alerts about a budget: its highest reached level, and a refused call. `account` may be the scope of an
 * organisation.
 */
export function budgetAlerts(
  account: string,
  { budget, period, carriedNanos }: Pick<BudgetUsage, "budget" | "period" | "carriedNanos">,
  { spentNanos, hasRefused, hasEnded = false }: BudgetPeriodUse,
): readonly NewAlert[] {
  const max = BigInt(budget.nanos) + carriedNanos;
  const level = budgetLevel(spentNanos, max);
  const [spent, amount] = [formatUsd(spentNanos), formatUsd(max)];
  const from = hasEnded ? ` from ${new Date(period.startMs).toISOString().replace(".000Z", "Z")}` : "";
  const length = budget.period === "total" ? "in total" : `for ${hasEnded ? "the" : "this"} ${budget.period}${from}`;
  const organisation = organisationOfScope(account);
  const owner = organisation === undefined ? `account ${account}` : `the organisation ${organisation}`;
  const owned = `the budget ${budget.name ?? budget.scope} of ${owner} ${length}`;
  const details = { scope: budget.scope, spentUsd: spent, maximumUsd: amount, mode: budget.mode };
  const about = { kind: "budget", account, subject: budget.id } as const;
  // A budget with a new amount gets new alerts at the same levels.
  const periodOf = (step: string): string => `${budget.period}/${period.number}/${step}/${budget.nanos}`;
  const alerts: NewAlert[] = [];
  if (level !== undefined)
    alerts.push({
      ...about,
      period: periodOf(`${level}`),
      severity: level === 100 && budget.mode === "hard" ? "error" : "warning",
      summary: `${level} % of ${owned} are spent: $${spent} of $${amount}.`,
      details: { ...details, level: `${level}` },
    });
  // A hard budget refuses calls before it is used up, because it must cover the money that they reserve.
  if (hasRefused && level !== 100)
    alerts.push({
      ...about,
      period: periodOf("refused"),
      severity: "error",
      summary: `A call was refused, because ${owned} does not cover it: $${spent} of $${amount} are spent.`,
      details: { ...details, level: "refused" },
    });
  return alerts;
}

/** Returns the alert about a balance that does not last `lowHours`. */
export function balanceAlert(account: string, availableNanos: Nanos, lowHours: number, nowMs: number): NewAlert {
  const available = formatUsd(availableNanos);
  return {
    kind: "balance-low",
    account,
    subject: account,
    period: dayOf(nowMs),
    severity: "warning",
    summary: `The balance of account ${account}, $${available}, does not last ${lowHours} hours at the current rate of spending.`,
    details: { availableUsd: available, hours: `${lowHours}` },
  };
}

/**
 * Returns the alert about a cooldown of a channel, key or model. It is stored once an hour. Undefined for a cooldown
 * that is short or that the vendor requested.
 */
export function cooldownAlert(scope: string, { kind, reason, since }: Cooldown, nowMs: number): NewAlert | undefined {
  if (kind === "refused")
    return {
      ...cooldownPart("key-refused", scope, nowMs),
      severity: "error",
      summary: `The vendor refuses the key ${scope}: ${reason}.`,
      details: { reason, since },
    };
  if (kind === "throttled" || nowMs - Date.parse(since) < cooldownAgeMs) return undefined;
  return {
    ...cooldownPart("channel-cooldown", scope, nowMs),
    severity: "warning",
    summary: `${scope} is in cooldown: ${reason}.`,
    details: { reason, since },
  };
}

/** Returns the alert about many short cooldowns in this hour; undefined if they are few. */
export function unstableAlert(scope: string, cooldowns: number, nowMs: number): NewAlert | undefined {
  if (cooldowns < minShortCooldowns) return undefined;
  const part = cooldownPart("channel-cooldown", scope, nowMs);
  return {
    ...part,
    period: `${part.period}/unstable`,
    isLasting: false,
    severity: "warning",
    summary: `${scope} is unstable: it had ${cooldowns} cooldowns of less than ${shortCooldownMs / 1_000} seconds in this hour.`,
    details: { cooldowns: `${cooldowns}` },
  };
}

/** Returns the common members of alerts about cooldowns. Their period is the hour. */
function cooldownPart(kind: "key-refused" | "channel-cooldown", scope: string, nowMs: number) {
  return {
    kind,
    account: "",
    subject: scope,
    period: new Date(nowMs).toISOString().slice(0, hourLength),
    isLasting: true,
  } as const;
}

/** Returns the alert about the end of a cooldown. */
export function recoveryAlert({ kind, subject, period }: Alert): NewAlert {
  return {
    kind: "channel-recovered",
    account: "",
    subject,
    period: `${kind}/${period}`,
    severity: "info",
    summary: `${subject} is used again.`,
    details: {},
  };
}

/** Returns the alerts about units without a price. Equal alerts are stored once a day. */
export function unpricedAlerts(events: readonly UsageEvent[]): readonly NewAlert[] {
  return events.flatMap(({ model, unpriced = [], time }) =>
    unpriced.map((unit): NewAlert => ({
      kind: "unpriced-use",
      account: "",
      subject: `${model} ${unit}`,
      period: dayOf(Date.parse(time)),
      severity: "warning",
      summary: `Calls of the model ${model} use the unit ${unit}, which has no price: it costs nothing.`,
      details: { model, unit },
    })),
  );
}

/** Returns the alert about a failed verification of an account or of the common tables. It is stored once a day. */
export function divergenceAlert(account: string, isAccount: boolean, nowMs: number): NewAlert {
  return {
    kind: "ledger-divergence",
    account: isAccount ? account : "",
    subject: account,
    period: dayOf(nowMs),
    severity: "critical",
    summary: isAccount
      ? `The balance of account ${account} differs from its receipts.`
      : "The verification of the audit log or of the prices has failed.",
    details: {},
  };
}

/**
 * Returns the alert about an API key that expires soon. Undefined for disabled keys, and for playgrounds' keys, which
 * are renewed when they are used.
 */
export function keyExpiryAlert(token: Token, nowMs: number): NewAlert | undefined {
  const { accountId: account, id, name, hint, expiresAt, disabled, playgroundOf } = token;
  const isSilent = disabled || playgroundOf !== undefined;
  const days = expiresAt === undefined || isSilent ? undefined : daysLeft(expiresAt, expiryDays.key, nowMs);
  if (expiresAt === undefined || days === undefined) return undefined;
  return {
    kind: "key-expiring",
    account,
    subject: id,
    period: `${expiresAt}/${days}`,
    severity: "warning",
    summary: `The API key ${name} (${hint}) of account ${account} expires at ${expiresAt}.`,
    details: { name, expiresAt },
  };
}

/**
 * Returns the alert about an API key that is due for rotation. It is stored once in each rotation period. Undefined for
 * unusable keys.
 */
export function keyRotationAlert(token: Token, nowMs: number): NewAlert | undefined {
  const { accountId: account, id, name, hint, rotateAfterDays, rotationDueAt, expiresAt, disabled } = token;
  if (rotateAfterDays === undefined || rotationDueAt === undefined || disabled) return undefined;
  const lateMs = nowMs - Date.parse(rotationDueAt);
  if (lateMs < 0 || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)) return undefined;
  return {
    kind: "key-rotation-due",
    account,
    subject: id,
    period: `${rotationDueAt}/${Math.floor(lateMs / (rotateAfterDays * dayMs))}`,
    severity: "warning",
    summary: `The API key ${name} (${hint}) of account ${account} has been due for rotation since ${rotationDueAt}.`,
    details: { name, rotationDueAt },
  };
}

/** Returns the alert about a certificate that expires soon. */
export function certificateAlert(server: string, expiresAt: string, nowMs: number): NewAlert | undefined {
  const days = daysLeft(expiresAt, expiryDays.certificate, nowMs);
  if (days === undefined) return undefined;
  return {
    kind: "certificate-expiring",
    account: "",
    subject: server,
    period: `${expiresAt}/${days}`,
    severity: days === expiryDays.certificate[0] ? "error" : "warning",
    summary: `The certificate of ${server} expires at ${expiresAt}.`,
    details: { expiresAt },
  };
}

/** Returns the smallest of `days` within which a time comes; undefined if it is later or past. */
function daysLeft(time: string, days: readonly number[], nowMs: number): number | undefined {
  const remainingMs = Date.parse(time) - nowMs;
  return remainingMs <= 0 ? undefined : days.find((each) => remainingMs <= each * dayMs);
}
