import { expect, onTestFinished, test, vi } from "vitest";
import { Failure } from "@modelgate/contracts";
import { readPeriod } from "../../src/api/period.ts";

const time = "2026-01-31T12:00:00Z";
const at = Date.parse(time);
const [day, next] = [Date.parse("2026-01-31"), Date.parse("2026-02-01")];

test.each([
  ["day=2026-01-31", { from: day, to: next }],
  ["day=2026-01-31&from=2020-01-01&to=2020-01-02", { from: day, to: next }],
  ["from=2026-01-01&to=2026-01-31", { from: Date.parse("2026-01-01"), to: next }],
  [`from=2026-01-31&to=${time}`, { from: day, to: at + 1 }],
  [`from=${time}&to=2026-01-31`, { from: at, to: next }],
])("%s", (query, period) => {
  expect(readPeriod(new URLSearchParams(query))).toEqual(period);
});

test("the default is today", () => {
  const { from, to } = readPeriod(new URLSearchParams());
  expect([from % 86_400_000, to - from]).toEqual([0, 86_400_000]);
});

test.each([
  ["this-month", "2026-03-01", "2026-04-01"],
  ["last-month", "2026-02-01", "2026-03-01"],
])("%s is a month in UTC", (name, from, to) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-31T23:59:59.999Z") });
  onTestFinished(() => void vi.useRealTimers());
  const period = { from: Date.parse(from), to: Date.parse(to) };
  expect(readPeriod(new URLSearchParams({ period: name }))).toEqual(period);
});

test.each([
  ["period=next-month", "period"],
  ["period=this-month&from=2026-01-01", "period"],
  ["day=soon", "day"],
  [`day=${time}`, "day"],
  ["from=2026-01-01&to=soon", "to"],
  ["from=2026-13-01", "from"],
  ["to=2020-01-01", "from"],
  ["from=2026-01-31&to=2026-01-01", "from"],
])("%s names %s", (query, param) => {
  const read = () => readPeriod(new URLSearchParams(query));
  expect(read).toThrow(Failure);
  expect(read).toThrow(expect.objectContaining({ code: "invalid_value", param }));
});
