import { expect, test } from "vitest";
import { focusHeader, focusRows } from "../../src/api/focus-csv.ts";
import { estimateSpend } from "../../src/api/reports.ts";

const chargePeriod = { from: Date.parse("2026-12-31"), to: Date.parse("2027-01-01") };
const total = (labels: object | undefined, costNanos: string, { calls = "1", team = "" } = {}) => ({
  by: {
    account: "acme",
    team,
    day: "2026-12-31",
    token: "tok_1",
    model: "m",
    channel: "main",
    labels: labels === undefined ? "" : JSON.stringify(labels),
  },
  sums: { calls, costNanos, inputTokens: "3" },
});

/** Columns of FOCUS 1.2 with the feature level "Mandatory". */
const mandatoryColumns = [
  "BilledCost",
  "BillingAccountId",
  "BillingAccountName",
  "BillingCurrency",
  "BillingPeriodEnd",
  "BillingPeriodStart",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargePeriodEnd",
  "ChargePeriodStart",
  "ContractedCost",
  "EffectiveCost",
  "InvoiceIssuerName",
  "ListCost",
  "PricingQuantity",
  "PricingUnit",
  "ProviderName",
  "PublisherName",
  "ServiceCategory",
  "ServiceName",
];

test("the export has every mandatory column of FOCUS 1.2", () => {
  expect(focusHeader.trim().split(",")).toEqual(expect.arrayContaining(mandatoryColumns));
});

test("a row is a charge of a day, in UTC seconds; end users are summed, tags are not", () => {
  const totals = [
    total({ endUser: "u1", "tag:team": "red" }, "1500000001"),
    total({ endUser: "u2", "tag:team": "red" }, "1"),
    total({ endUser: "u2" }, "7"),
    total(undefined, "3", { calls: "2" }),
    total(undefined, "5", { team: "search" }),
  ];
  const heads = focusHeader.trim().split(",");
  const rows = focusRows(totals, chargePeriod)
    .trim()
    .split("\r\n")
    .map((line) => Object.fromEntries(line.split(",").map((cell, at) => [heads[at], cell])));
  expect(rows).toEqual([
    expect.objectContaining({ BilledCost: "1.500000002", PricingQuantity: "2", Tags: '"{""team"":""red""}"' }),
    expect.objectContaining({
      BilledCost: "0.00000001",
      PricingQuantity: "3",
      x_InputTokens: "6",
      Tags: "",
      x_Team: "",
    }),
    expect.objectContaining({ BilledCost: "0.000000005", PricingQuantity: "1", x_Team: "search" }),
  ]);
  expect(rows[0]).toMatchObject({
    BillingAccountId: "acme",
    BillingPeriodStart: "2026-12-01T00:00:00Z",
    BillingPeriodEnd: "2027-01-01T00:00:00Z",
    ChargePeriodStart: "2026-12-31T00:00:00Z",
    ChargePeriodEnd: "2027-01-01T00:00:00Z",
    ChargeClass: "",
    SubAccountId: "tok_1",
  });
});

test("the rest of a period is expected to cost the mean of seven days or since the first call, or today's spend where these had none", () => {
  const day = 86_400_000;
  const at = { today: 10 * day, now: 10.5 * day, todayNanos: 100n };
  const before = { day: 2 * day, nanos: 50n };
  const yesterday = { day: 9 * day, nanos: 700n };
  expect(estimateSpend({ ...at, daily: [before, yesterday] }, 3 * day)).toBe(300n);
  expect(estimateSpend({ ...at, daily: [yesterday] }, 3 * day)).toBe(2_100n);
  expect(estimateSpend({ ...at, daily: [before] }, 3 * day)).toBe(600n);
  expect(estimateSpend({ ...at, daily: [], todayNanos: 0n }, 3 * day)).toBe(0n);
});
