import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUsd, parseNanos, parseUsd } from "../../src/money/nanos.ts";

describe("dollars and nano-dollars", () => {
  test.each([
    ["10.00", 10_000_000_000n, "10.00"],
    ["0.000000001", 1n, "0.000000001"],
    ["1.5", 1_500_000_000n, "1.50"],
    ["-0.25", -250_000_000n, "-0.25"],
    ["0", 0n, "0.00"],
    ["999999999.999999999", 999_999_999_999_999_999n, "999999999.999999999"],
  ])("%s", (written, nanos, shown) => {
    expect(parseUsd(written)).toBe(nanos);
    expect(formatUsd(nanos)).toBe(shown);
  });

  test("parse undoes format", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (nanos) => parseUsd(formatUsd(nanos)) === nanos),
    );
  });

  test.each(["", "ten", "1,5", "0.0000000001", "NaN", "1e400"])("refuses %j", (written) => {
    expect(() => parseUsd(written)).toThrow(RangeError);
  });

  test.each(["0", "5", "-1", "9".repeat(40)])("nanos are %s", (written) => {
    expect(parseNanos(written).toString()).toBe(written);
  });

  test.each(["1.5", "", "1e9", "0x10", "9".repeat(41)])("nanos refuse %j", (written) => {
    expect(() => parseNanos(written)).toThrow(RangeError);
  });
});
