import { describe, expect, test } from "vitest";
import { periodAt, readToken, type Budget } from "@modelgate/accounts";
import { testUsageDraft } from "@modelgate/testkit";
import {
  balanceAlert,
  budgetAlerts,
  certificateAlert,
  divergenceAlert,
  keyExpiryAlert,
  keyRotationAlert,
  recoveryAlert,
  cooldownAlert,
  unpricedAlerts,
} from "../../src/alerts/rules.ts";

const now = Date.parse("2026-11-26T10:30:00.000Z");
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const budget: Budget = {
  id: "bud_1",
  scope: "tag:team=red",
  period: "month",
  zone: "UTC",
  nanos: "10000000000",
  mode: "hard",
  createdAt: "2026-01-01T00:00:00.000Z",
};

describe("a budget", () => {
  const period = periodAt("month", "UTC", now);
  const alertsAt = (spentNanos: bigint, hasRefused: boolean, more: Partial<Budget> = {}, carriedNanos = 0n) =>
    budgetAlerts("acme", { budget: { ...budget, ...more }, period, carriedNanos }, { spentNanos, hasRefused });
  const alertAt = (spent: bigint, more: Partial<Budget> = {}, carriedNanos = 0n) =>
    alertsAt(spent, false, more, carriedNanos)[0];

  test.each([
    [0n, undefined],
    [4_999_999_999n, undefined],
    [5_000_000_000n, 50],
    [7_999_999_999n, 50],
    [8_000_000_000n, 80],
    [9_999_999_999n, 80],
    [10_000_000_000n, 100],
    [25_000_000_000n, 100],
  ])("with %s of 10 dollars spent has reached %s percent", (spent, level) => {
    expect(alertAt(spent)?.period).toBe(
      level === undefined ? undefined : `month/${period.number}/${level}/10000000000`,
    );
  });

  test("that is raised reaches its levels again", () => {
    const [before, after] = [alertAt(9_000_000_000n), alertAt(17_000_000_000n, { nanos: "20000000000" })];
    expect([before, after].map((alert) => alert?.details["level"])).toEqual(["80", "80"]);
    expect(before?.period).not.toBe(after?.period);
  });

  test("that refused a call is an alert, also below its levels, unless all of it is spent", () => {
    const levels = (spent: bigint) => alertsAt(spent, true).map(({ details }) => details["level"]);
    expect(levels(1_000_000_000n)).toEqual(["refused"]);
    expect(levels(9_700_000_000n)).toEqual(["80", "refused"]);
    expect(levels(10_000_000_000n)).toEqual(["100"]);
    expect(alertsAt(9_700_000_000n, true)[1]).toMatchObject({
      severity: "error",
      summary:
        "A call was refused, because the budget tag:team=red of account acme for this month does not cover it: $9.70 of $10.00 are spent.",
    });
  });

  test("of an organisation is named with its organisation", () => {
    const shared = { budget: { ...budget, scope: "organisation:acme", name: "All teams" }, period, carriedNanos: 0n };
    const [found] = budgetAlerts("organisation:acme", shared, { spentNanos: 5_000_000_000n, hasRefused: false });
    expect(found).toMatchObject({
      account: "organisation:acme",
      summary: "50 % of the budget All teams of the organisation acme for this month are spent: $5.00 of $10.00.",
    });
  });

  test("counts what rolled over, and has no level if its amount is 0", () => {
    expect(alertAt(8_000_000_000n, {}, 10_000_000_000n)).toBeUndefined();
    expect(alertAt(10_000_000_000n, {}, 10_000_000_000n)?.details["level"]).toBe("50");
    expect(alertAt(1n, { nanos: "0" })).toBeUndefined();
  });

  test("is named with its amounts, and exhausted is an error if it refuses calls", () => {
    expect(alertAt(8_500_000_000n)).toMatchObject({
      kind: "budget",
      account: "acme",
      subject: "bud_1",
      severity: "warning",
      summary: "80 % of the budget tag:team=red of account acme for this month are spent: $8.50 of $10.00.",
    });
    expect(alertAt(10_000_000_000n)?.severity).toBe("error");
    expect(alertAt(10_000_000_000n, { mode: "soft" })?.severity).toBe("warning");
    const total = { ...budget, period: "total" } as const;
    const [found] = budgetAlerts(
      "acme",
      { budget: total, period: periodAt("total", "UTC", now), carriedNanos: 0n },
      { spentNanos: 9_000_000_000n, hasRefused: false },
    );
    expect(found).toMatchObject({
      period: "total/1/80/10000000000",
      summary: expect.stringContaining("in total") as unknown,
    });
  });
});

test("a low balance is an alert of a day", () => {
  expect(balanceAlert("acme", 1_200_000_000n, 24, now)).toMatchObject({
    account: "acme",
    period: "2026-11-26",
    summary: "The balance of account acme, $1.20, does not last 24 hours at the current rate of spending.",
  });
});

describe("a cooldown of a channel", () => {
  const cooldown = {
    reason: "3 calls failed",
    since: "2026-11-26T10:29:00.000Z",
    until: now + 5_000,
    consecutiveCooldowns: 1,
  };

  test.each([
    ["main", "failing", "channel-cooldown", "warning", "main is in cooldown: 3 calls failed."],
    ["main/k1", "refused", "key-refused", "error", "The vendor refuses the key main/k1: 3 calls failed."],
  ] as const)("of %s that is %s is %s", (scope, kind, expected, severity, summary) => {
    const alert = cooldownAlert(scope, { ...cooldown, kind }, now);
    expect(alert).toMatchObject({
      kind: expected,
      severity,
      summary,
      subject: scope,
      period: "2026-11-26T10",
      isLasting: true,
    });
  });

  test("causes no alert if the vendor requested it", () => {
    expect(cooldownAlert("main", { ...cooldown, kind: "throttled" }, now)).toBeUndefined();
  });

  test("does not show the vendor's message, which may contain a part of a key", () => {
    const alert = cooldownAlert(
      "main",
      { ...cooldown, kind: "refused", vendorMessage: "Incorrect API key sk-123" },
      now,
    );
    expect(JSON.stringify(alert)).not.toContain("sk-123");
  });

  test("ends with an alert that names it", () => {
    const { isLasting: _, ...alert } =
      cooldownAlert("main", { ...cooldown, kind: "failing" }, now) ?? divergenceAlert("", false, now);
    expect(recoveryAlert({ ...alert, id: "alt_1", time: "" })).toMatchObject({
      kind: "channel-recovered",
      subject: "main",
      period: "channel-cooldown/2026-11-26T10",
    });
  });
});

test("use without a price is an alert for each model, unit and day", () => {
  const call = { ...testUsageDraft("acme", "one"), time: "2026-11-25T23:59:00.000Z", costNanos: "0" };
  const found = unpricedAlerts([
    { ...call, model: "m", unpriced: ["inputTokens", "outputTokens"] },
    { ...call, model: "n" },
  ]);
  expect(found.map(({ subject, period, account }) => [subject, period, account])).toEqual([
    ["m inputTokens", "2026-11-25", ""],
    ["m outputTokens", "2026-11-25", ""],
  ]);
});

test("a divergence is an alert of the account; of other parts of the books, one of the gateway", () => {
  expect(divergenceAlert("acme", true, now)).toMatchObject({
    account: "acme",
    severity: "critical",
    period: "2026-11-26",
  });
  expect(divergenceAlert("(audit)", false, now)).toMatchObject({ account: "", subject: "(audit)" });
});

describe("an expiry", () => {
  const keyWith = (leftMs: number, disabled = false, more: object = {}) =>
    readToken(
      JSON.stringify({
        id: "tok_1",
        accountId: "acme",
        group: "default",
        name: "ci",
        disabled,
        createdAt: "2026-01-01T00:00:00.000Z",
        hint: "sk-a…z",
        expiresAt: new Date(now + leftMs).toISOString(),
        ...more,
      }),
    );

  test.each([
    [8 * dayMs, undefined],
    [7 * dayMs, 7],
    [dayMs + 1, 7],
    [dayMs, 1],
    [1, 1],
    [0, undefined],
    [-dayMs, undefined],
  ])("of a key in %s ms is an alert of %s days", (leftMs, days) => {
    const alert = keyExpiryAlert(keyWith(leftMs), now);
    const expiresAt = new Date(now + leftMs).toISOString();
    expect(alert?.period).toBe(days === undefined ? undefined : `${expiresAt}/${days}`);
  });

  test.each([
    [-1, undefined],
    [0, 0],
    [30 * dayMs - 1, 0],
    [30 * dayMs, 1],
    [90 * dayMs, 3],
  ])("of the time of rotation by %s ms is alert %s, one for each period", (lateMs, number) => {
    const rotationDueAt = new Date(now - lateMs).toISOString();
    const due = { rotateAfterDays: 30, rotationDueAt };
    const alert = keyRotationAlert(keyWith(dayMs, false, due), now);
    expect(alert?.period).toBe(number === undefined ? undefined : `${rotationDueAt}/${number}`);
    expect(keyRotationAlert(keyWith(dayMs, true, due), now)).toBeUndefined();
    expect(keyRotationAlert(keyWith(0, false, due), now)).toBeUndefined();
  });

  test("of a disabled key or of a playground's key causes no alert", () => {
    expect(keyExpiryAlert(keyWith(hourMs, true), now)).toBeUndefined();
    expect(keyExpiryAlert(keyWith(hourMs, false, { playgroundOf: "ada" }), now)).toBeUndefined();
  });

  test.each([
    [15 * dayMs, undefined],
    [14 * dayMs, "warning"],
    [3 * dayMs, "error"],
  ])("of a certificate in %s ms is %s", (leftMs, severity) => {
    expect(certificateAlert("redis:6379", new Date(now + leftMs).toISOString(), now)?.severity).toBe(severity);
  });
});
