import { expect, test } from "vitest";
import { fields } from "../../src/api/fields.ts";

test.each([
  ["2030-01-01T02:00:00+02:00", "2030-01-01T00:00:00.000Z"],
  ["2030-01-01", "2030-01-01T00:00:00.000Z"],
])("the time %s is %s", (at, time) => {
  expect(fields.optionalTime({ at }, "at")).toBe(time);
});

test.each(["a\0b", "\ud83d", "\ude00\ud83d"])("the text %j cannot be stored, and its field is named", (name) => {
  const refused = expect.objectContaining({ status: 400, param: "name" });
  expect(() => fields.optionalText({ name }, "name")).toThrow(refused);
  expect(() => fields.optionalTexts({ name: ["good", name] }, "name")).toThrow(refused);
  expect(fields.optionalText({ name: "caf\u00e9 \u{1f600}" }, "name")).toBe("caf\u00e9 \u{1f600}");
});

test.each(["5", "2030-02-31", "2030-01-01T00:00:00"])("%j is not a valid time, and its field is named", (at) => {
  expect(() => fields.optionalTime({ at }, "at")).toThrow(
    expect.objectContaining({ status: 400, param: "at", message: expect.stringContaining("with its zone") }),
  );
});

test.each([
  ["1000000000.00", 10n ** 18n],
  ["-1000000000.00", -(10n ** 18n)],
  ["0.000000001", 1n],
])("an amount of %s is accepted", (amount, nanos) => {
  expect(fields.dollars({ amount }, "amount")).toBe(nanos);
});

test.each(["1000000000.000000001", "99999999999999999999", "-9000000000", "much"])(
  "an amount of %s is refused, and its field is named",
  (amount) => {
    expect(() => fields.dollars({ amount }, "amount")).toThrow(
      expect.objectContaining({ status: 400, param: "amount" }),
    );
  },
);
