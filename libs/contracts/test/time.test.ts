import { expect, test } from "vitest";
import { parseTime } from "../src/configuration/check.ts";

test.each([
  ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.000Z"],
  ["2030-01-01", "2030-01-01T00:00:00.000Z"],
  ["2030-01-01 12:30Z", "2030-01-01T12:30:00.000Z"],
  ["2030-01-01T00:00:00.25+02:00", "2029-12-31T22:00:00.250Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
])("%s is %s", (written, moment) => {
  expect(new Date(parseTime(written) ?? Number.NaN).toISOString()).toBe(moment);
});

test.each([
  "2030-02-31",
  "2030-02-31T00:00:00Z",
  "2030-02-29",
  "2030-13-01",
  "2030-01-01T25:00:00Z",
  "2030-01-01T00:00:00",
  "2030-01-01T00:00:00+2",
  "1 January 2030",
  "5",
  "",
])("%j is not a valid time", (written) => {
  expect(parseTime(written)).toBeUndefined();
});
