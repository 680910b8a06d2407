import { expect, test } from "vitest";
import { includesRanges, requireAllowedAddress } from "../src/index.ts";

const list = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"];

test.each(["10.1.2.3", "192.0.2.7", "2001:db8:1::5", "::ffff:10.1.2.3"])("%s is allowed", (address) => {
  expect(() => requireAllowedAddress(list, address)).not.toThrow();
});

test.each(["11.0.0.1", "192.0.2.8", "2001:db9::1", "::ffff:11.0.0.1", "", "unix"])(
  "%j is refused by name",
  (address) => {
    const refused = expect.objectContaining({ code: "address_not_allowed", message: expect.stringContaining(address) });
    expect(() => requireAllowedAddress(list, address)).toThrow(refused);
  },
);

test("a mapped range is a range of IPv4 addresses", () => {
  const mapped = ["::ffff:10.0.0.0/104", "::ffff:c000:207"];
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7"])
    expect(() => requireAllowedAddress(mapped, address)).not.toThrow();
  for (const address of ["11.0.0.1", "::ffff:11.0.0.1", "192.0.2.8", "2001:db8::1"])
    expect(() => requireAllowedAddress(mapped, address)).toThrow(
      expect.objectContaining({ code: "address_not_allowed" }),
    );
});

test.each([
  [["10.0.0.0/8"], ["10.1.0.0/16", "10.2.3.4"], true],
  [["10.0.0.0/8"], ["10.0.0.0/7"], false],
  [["10.0.0.0/8"], ["11.0.0.0/16"], false],
  [["2001:db8::/32"], ["2001:db8:5::/48"], true],
  [["0.0.0.0/0"], ["::/0"], false],
  [["10.0.0.0/8"], ["::ffff:10.1.0.0/112"], true],
  [["::ffff:10.0.0.0/104"], ["10.0.0.0/7"], false],
])("%j includes %j: %s", (outer, inner, is) => {
  expect(includesRanges(outer, inner)).toBe(is);
});
