import type { BudgetUsage, Token } from "@modelgate/accounts";
import type { NewAlert } from "@modelgate/books";
import { shortPauseMs, type Cooldown } from "@modelgate/channels";
import { formatUsd, organisationOfScope, type Alert, type Nanos, type UsageEvent } from "@modelgate/contracts";

/** Shares of a budget, in percent, at which an alert happens; highest first. */
const budgetLevels = [100, 80, 50] as const;
/** Times before the end of a key or certificate at which an alert happens, in days; shortest first. */
const expiryDays = { key: [1, 7], certificate: [3, 14] } as const;
/** Age, in ms, from which a pause has an alert. */
const pauseAgeMs = 15_000;
/** Number of short pauses in an hour from which a part of a channel is unstable. */
const minShortPauses = 10;
/** Maximum time, in ms, before the end of a key at which an alert happens. */
export const keyExpiryMs = 7 * 86_400_000;

const dayMs = 86_400_000;
const [dayLength, hourLength] = ["2026-11-26".length, "2026-11-26T10".length];

/** Returns the day of a time in UTC, as the period of an alert that happens once a day. */
function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, dayLength);
}

/** Returns the highest alert level that an amount has reached, in percent; undefined if it has reached none. */
export function budgetLevel(spentNanos: Nanos, maxNanos: Nanos): number | undefined {
  if (maxNanos <= 0n) return undefined;
  return budgetLevels.find((level) => spentNanos * 100n >= maxNanos * BigInt(level));
}

/** Use of a budget in a period. */
interface BudgetPeriodUse {
  readonly spentNanos: Nanos;
  readonly hasRefused: boolean;
  readonly isOver?: boolean;
}

/**
 * Returns the alerts about a budget: the highest level that it has reached, and the refusal of a call unless all of the
 * budget is spent. `spentNanos` is the amount that was spent in the budget's period, without open calls. `hasRefused`
 * is true if the budget refused a call in the period. `account` is the scope of an organisation if the budget is that
 * of an organisation. `isOver` is true for a period that has ended, which the text then names by its start.
 */
export function budgetAlerts(
  account: string,
  { budget, period, carriedNanos }: Pick<BudgetUsage, "budget" | "period" | "carriedNanos">,
  { spentNanos, hasRefused, isOver = false }: BudgetPeriodUse,
): readonly NewAlert[] {
  const max = BigInt(budget.nanos) + carriedNanos;
  const level = budgetLevel(spentNanos, max);
  const [spent, amount] = [formatUsd(spentNanos), formatUsd(max)];
  const from = isOver ? ` from ${new Date(period.startMs).toISOString().replace(".000Z", "Z")}` : "";
  const length = budget.period === "total" ? "in total" : `for ${isOver ? "the" : "this"} ${budget.period}${from}`;
  const organisation = organisationOfScope(account);
  const owner = organisation === undefined ? `account ${account}` : `the organisation ${organisation}`;
  const owned = `the budget ${budget.name ?? budget.scope} of ${owner} ${length}`;
  const details = { scope: budget.scope, spentUsd: spent, maximumUsd: amount, mode: budget.mode };
  const about = { kind: "budget", account, subject: budget.id } as const;
  // The amount is part of the alert's key, so that a budget with a new amount creates new alerts at the same levels.
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
  // A hard budget usually refuses calls before all of it is spent, because it must cover the maximum cost of a call.
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

/** Returns the alert about an account whose balance does not last `lowHours` at its current rate of spending. */
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
 * Returns the alert about a pause of a channel, or of one of its keys or models. Returns undefined for a pause that the
 * vendor requested, which is usual, and for one that is still short. A pause has one alert. A channel, key or model has
 * at most one alert of each kind an hour, however many pauses it has. The alert of `unstableAlert` is additional.
 */
export function restAlert(scope: string, { kind, reason, since }: Cooldown, nowMs: number): NewAlert | undefined {
  if (kind === "refused")
    return {
      ...pausedPart("key-refused", scope, nowMs),
      severity: "error",
      summary: `The vendor refuses the key ${scope}: ${reason}.`,
      details: { reason, since },
    };
  if (kind === "throttled" || nowMs - Date.parse(since) < pauseAgeMs) return undefined;
  return {
    ...pausedPart("channel-resting", scope, nowMs),
    severity: "warning",
    summary: `${scope} is paused: ${reason}.`,
    details: { reason, since },
  };
}

/**
 * Returns the alert about a part of a channel that had many short pauses in this hour; undefined if it had few. The
 * alert does not last, because the part is used between its pauses. A longer pause in the same hour has another alert.
 */
export function unstableAlert(scope: string, pauses: number, nowMs: number): NewAlert | undefined {
  if (pauses < minShortPauses) return undefined;
  const part = pausedPart("channel-resting", scope, nowMs);
  return {
    ...part,
    period: `${part.period}/unstable`,
    lasts: false,
    severity: "warning",
    summary: `${scope} is unstable: it was paused ${pauses} times in this hour, each time for less than ${shortPauseMs / 1_000} seconds.`,
    details: { pauses: `${pauses}` },
  };
}

/** Returns the members that alerts about a pause have. Their period is the hour. */
function pausedPart(kind: "key-refused" | "channel-resting", scope: string, nowMs: number) {
  return {
    kind,
    account: "",
    subject: scope,
    period: new Date(nowMs).toISOString().slice(0, hourLength),
    lasts: true,
  } as const;
}

/** Returns the alert about the end of a pause. Its period names the alert about the pause. */
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

/**
 * Returns the alerts about calls with units that have no price. Alerts of the same model, unit and day are equal, and
 * are stored once.
 */
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

/**
 * Returns the alert about an account, or about the tables that belong to no account, whose verification failed. An
 * account has at most one such alert a day.
 */
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
 * Returns the alert about an API key that is about to expire; undefined if it has expired, expires later or never, is
 * disabled, or is a key of a playground, which is renewed when it is used.
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
 * Returns the alert about an API key that is due for rotation, once for each of its periods that passes without a
 * rotation; undefined if the key is not due, or can no longer be used.
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

/** Returns the alert about a certificate that is about to expire; undefined if it expires later or has expired. */
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

/** Returns the shortest of these numbers of days within which a time comes; undefined if it is later, or past. */
function daysLeft(time: string, days: readonly number[], nowMs: number): number | undefined {
  const remainingMs = Date.parse(time) - nowMs;
  return remainingMs <= 0 ? undefined : days.find((each) => remainingMs <= each * dayMs);
}
