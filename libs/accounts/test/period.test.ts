import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { periodAt, periodNames, periodWith, zoneNamed } from "../src/index.ts";

const bounds = (name: (typeof periodNames)[number], zone: string, time: string): readonly string[] => {
  const { startMs, endMs } = periodAt(name, zone, Date.parse(time));
  return [startMs, endMs].map((ms) => new Date(ms).toISOString().replace(":00.000Z", "Z"));
};

describe("a period begins at midnight of its zone", () => {
  test.each([
    ["day", "UTC", "2026-03-10T23:59:59Z", "2026-03-10T00:00Z", "2026-03-11T00:00Z"],
    ["day", "Asia/Kolkata", "2026-03-10T18:30:00Z", "2026-03-10T18:30Z", "2026-03-11T18:30Z"],
    ["day", "Europe/Berlin", "2026-03-29T10:00:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z"], // 23 hours
    ["day", "Europe/Berlin", "2026-10-25T10:00:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z"], // 25 hours
    ["day", "Africa/Cairo", "2026-04-24T10:00:00Z", "2026-04-23T22:00Z", "2026-04-24T21:00Z"], // midnight is skipped
    ["week", "UTC", "2026-03-15T23:59:59Z", "2026-03-09T00:00Z", "2026-03-16T00:00Z"], // Sunday
    ["week", "America/New_York", "2026-03-16T03:59:59Z", "2026-03-09T04:00Z", "2026-03-16T04:00Z"],
    ["month", "Asia/Tokyo", "2026-02-28T15:00:00Z", "2026-02-28T15:00Z", "2026-03-31T15:00Z"],
    ["month", "America/Sao_Paulo", "2027-01-01T02:59:59Z", "2026-12-01T03:00Z", "2027-01-01T03:00Z"],
    ["quarter", "UTC", "2026-03-31T23:59:59Z", "2026-01-01T00:00Z", "2026-04-01T00:00Z"],
    ["quarter", "Australia/Sydney", "2026-09-30T14:00:00Z", "2026-09-30T14:00Z", "2026-12-31T13:00Z"],
  ] as const)("%s in %s at %s", (name, zone, time, start, end) => {
    expect(bounds(name, zone, time)).toEqual([start, end]);
  });
});

test("each moment is in the period of its number, and periods follow each other without a gap", () => {
  const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo"];
  fc.assert(
    fc.property(
      fc.constantFrom(...periodNames.filter((name) => name !== "total")),
      fc.constantFrom(...zones),
      fc.integer({ min: Date.parse("2015-01-01"), max: Date.parse("2035-01-01") }),
      (name, zone, ms) => {
        const period = periodAt(name, zone, ms);
        expect(ms >= period.startMs && ms < period.endMs).toBe(true);
        expect(periodWith(name, zone, period.number)).toEqual(period);
        expect(periodWith(name, zone, period.number + 1).startMs).toBe(period.endMs);
      },
    ),
    { numRuns: 100 },
  );
});

test("a total budget has one period", () => {
  expect(periodAt("total", "UTC", Date.now())).toEqual({ number: 1, startMs: 0, endMs: Infinity });
});

test("only names of time zones are valid", () => {
  expect(zoneNamed("Europe/Berlin")).toBe("Europe/Berlin");
  expect(zoneNamed("europe/berlin")).toBe("Europe/Berlin");
  for (const wrong of ["", "+02:00", "Europe/Nowhere", "Mars"]) expect(zoneNamed(wrong), wrong).toBeUndefined();
});
